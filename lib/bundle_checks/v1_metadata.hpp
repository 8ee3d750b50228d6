// Reads a bundle's metadata as OLM v1 does, which reads less than opm, and more strictly: the files
// metadata/annotations.yaml and metadata/properties.yaml, and the ClusterServiceVersion's annotation
// olm.properties (internal/operator-controller/rukpak/bundle/source of operator-controller).
#pragma once

#include "opcat/bundle/manifests.hpp"

#include <string>
#include <string_view>

namespace opcat::bundle_checks {

struct V1Metadata {
    std::string package;
    std::string refusal; // why OLM v1 cannot read the metadata, nearly in its words; empty: it can
    Location where = {}; // of what it refuses
};

// nullptr: there is no such file.
V1Metadata v1_metadata(const DocumentFile* annotations, const DocumentFile* properties, Arena& arena);

// Why OLM v1 cannot read the text of the annotation olm.properties; empty if it can.
std::string v1_annotation_refusal(std::string_view text);

} // namespace opcat::bundle_checks
