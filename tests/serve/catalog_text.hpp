// A small catalog for the tests of answers.
#pragma once

#include "../load_text.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string_view>
#include <vector>

namespace opcat::serve {

inline ThreadPool& test_pool() {
    static ThreadPool pool(2);
    return pool;
}

// Two packages: one with two channels, edges and a deprecation, one whose bundle carries its objects.
constexpr std::string_view two_packages = R"(schema: olm.package
name: gizmo
defaultChannel: stable
description: Makes gizmos
---
schema: olm.channel
package: gizmo
name: stable
entries:
- {name: gizmo.v1.0.0}
- {name: gizmo.v1.1.0, replaces: gizmo.v1.0.0, skips: [gizmo.v1.0.0, gizmo.v0.9.0], skipRange: <1.1.0}
---
schema: olm.channel
package: gizmo
name: alpha
entries: [{name: gizmo.v1.1.0}]
---
schema: olm.bundle
package: gizmo
name: gizmo.v1.0.0
image: registry.example/gizmo:v1.0.0
properties:
- {type: olm.package, value: {packageName: gizmo, version: 1.0.0}}
---
schema: olm.bundle
package: gizmo
name: gizmo.v1.1.0
image: registry.example/gizmo:v1.1.0
properties:
- {type: olm.package, value: {version: 1.1.0, packageName: gizmo}}
- {type: olm.gvk, value: {kind: Gizmo, group: example.com, version: v1}}
- {type: olm.package.required, value: {packageName: widget, versionRange: ">=1"}}
- {type: olm.csv.metadata, value: {displayName: <Gizmo>, annotations: {b: "2", a: "1"}}}
---
schema: olm.deprecations
package: gizmo
entries:
- {reference: {schema: olm.bundle, name: gizmo.v1.0.0}, message: too old}
---
schema: olm.package
name: widget
defaultChannel: stable
---
schema: olm.channel
package: widget
name: stable
entries: [{name: widget.v1}]
---
schema: olm.bundle
package: widget
name: widget.v1
properties:
- {type: olm.package, value: {packageName: widget, version: 1.0.0}}
- {type: olm.gvk, value: {kind: Gizmo, group: example.com, version: v1}}
- {type: olm.bundle.object, value: {data: a2luZDogU2VydmljZQo=}}
---
schema: example.note
package: gizmo
name: one
count: 1.5
)";

inline LoadedCatalog load_valid(std::string_view text) {
    LoadedCatalog loaded = load_text(text);
    REQUIRE(loaded.diagnostics.empty());
    return loaded;
}

} // namespace opcat::serve
