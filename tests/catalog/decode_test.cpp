// Covers lib/catalog.
#include "catalog_text.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

struct Decoded {
    LoadedCatalog loaded;
    explicit Decoded(const std::string& text) : loaded(load_text(text)) {}
    std::string findings() const { return shown(loaded.diagnostics); }
    std::string messages() const {
        std::string text;
        for (const Diagnostic& d : loaded.diagnostics)
            text += d.message + (d.help.empty() ? "" : " // " + d.help) + "\n";
        return text;
    }
};

} // namespace

TEST_CASE("blobs are decoded by their schema") {
    const Decoded d(
        "schema: olm.package\nname: p\ndefaultChannel: c\ndescription: text\nicon: {base64data: Zm9v, "
        "mediatype: image/png}\n"
        "properties: [{type: t, value: {a: 1}}]\n"
        "---\nschema: olm.channel\npackage: p\nname: c\n"
        "entries: [{name: b, replaces: a, skips: [x, z], skipRange: '<1.0.0'}]\n"
        "---\nschema: olm.bundle\npackage: p\nname: b\nimage: i\nrelatedImages: [{name: r, image: j}]\n"
        "---\nschema: olm.deprecations\npackage: p\nentries: [{reference: {schema: olm.bundle, name: b}, "
        "message: m}]\n"
        "---\nschema: my.schema\npackage: p\nname: o\nanything: [goes]\n");
    CHECK(d.findings() == "");
    const Catalog& c = d.loaded.catalog;
    REQUIRE(c.packages.size() == 1);
    CHECK(c.packages[0].default_channel == "c");
    CHECK(c.packages[0].description == "text");
    REQUIRE(c.packages[0].icon);
    CHECK(c.packages[0].icon->base64 == "Zm9v");
    CHECK(c.packages[0].icon->media_type == "image/png");
    REQUIRE(c.packages[0].properties.size() == 1);
    CHECK(c.packages[0].properties[0].value->find("a")->integer() == 1);
    REQUIRE(c.channels.size() == 1);
    const ChannelEntry& entry = c.channels[0].entries[0];
    CHECK(entry.name == "b");
    CHECK(entry.replaces == "a");
    REQUIRE(entry.skips.size() == 2);
    CHECK(entry.skips[1] == "z");
    CHECK(entry.skip_range == "<1.0.0");
    REQUIRE(c.bundles.size() == 1);
    CHECK(c.bundles[0].image == "i");
    CHECK(c.bundles[0].related_images[0].image == "j");
    REQUIRE(c.deprecations.size() == 1);
    CHECK(c.deprecations[0].entries[0].schema == "olm.bundle");
    CHECK(c.deprecations[0].entries[0].message == "m");
    REQUIRE(c.others.size() == 1);
    CHECK(c.others[0].schema == "my.schema");
    CHECK(c.others[0].package == "p");
}

TEST_CASE("keys are case-insensitive, and the last of several spellings in byte order counts") {
    const Decoded d("SCHEMA: olm.channel\nPackage: p\nNAME: c\nEntries: [{NAME: first, name: last, "
                    "SkipRange: '<1.0.0'}]\n");
    CHECK(d.findings() == "");
    REQUIRE(d.loaded.catalog.channels.size() == 1);
    const Channel& channel = d.loaded.catalog.channels[0];
    CHECK(channel.name == "c");
    CHECK(channel.package == "p");
    CHECK(channel.entries[0].name == "last");
    CHECK(channel.entries[0].skip_range == "<1.0.0");
}

TEST_CASE("one key twice in the same spelling is not a contradiction: the last one counts") {
    const Decoded d("{\"schema\": \"x\", \"name\": \"a\", \"name\": \"b\"}");
    CHECK(d.findings() == "");
    CHECK(d.loaded.catalog.others[0].name == "b");
}

TEST_CASE("fields may be null or missing") {
    const Decoded d("schema: olm.channel\nname: c\nentries: ~\nproperties: null\n---\nschema: "
                    "olm.bundle\nrelatedImages: [~]\n");
    CHECK(d.findings() == "");
    CHECK_FALSE(d.loaded.catalog.channels[0].has_entries);
    CHECK(d.loaded.catalog.bundles[0].related_images.size() == 1);
}

TEST_CASE("surprises of YAML 1.1 are explained") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"schema: x\nname: n\n",
         "name of a blob must be a string: n is a boolean in YAML 1.1 // write \"n\", with the quotes\n"},
        {"schema: x\nname: 1.10\n", "name of a blob must be a string: 1.10 is a number in YAML 1.1 // write "
                                    "\"1.10\", with the quotes\n"},
        {"schema: x\nname: [a]\n", "name of a blob must be a string, not a list\n"},
        {"schema: olm.bundle\nimage: 0x1F # comment\n",
         "image of olm.bundle must be a string: 0x1F is a number in YAML 1.1 // write \"0x1F\", with the "
         "quotes\n"},
        {"schema: olm.channel\nentries:\n- name: on\n",
         "name of a channel entry must be a string: on is a boolean in YAML 1.1 // write \"on\", with the "
         "quotes\n"},
        {"schema: olm.channel\nentries:\n- foo.v1\n",
         "a channel entry of olm.channel must be an object, not a string\n"},
        {"schema: olm.channel\nentries:\n- name:foo.v1\n",
         "a channel entry of olm.channel must be an object, not a string // write a blank after the ':'\n"},
    };
    for (const auto& [text, messages] : cases) {
        CAPTURE(text);
        CHECK(Decoded(std::string(text)).messages() == messages);
    }
}

TEST_CASE("errors in JSON do not mention YAML") {
    CHECK(Decoded("{\"schema\": \"x\", \"name\": true}").messages() ==
          "name of a blob must be a string, not a boolean // write \"true\", with the quotes\n");
}

TEST_CASE("bytes may be a list of numbers, as Go takes them") {
    const Decoded d("schema: olm.package\nicon: {base64data: [102, null, 255]}\n---\nschema: "
                    "olm.package\nicon: {base64data: []}\n");
    REQUIRE(d.loaded.catalog.packages.size() == 2);
    CHECK(d.loaded.catalog.packages[0].icon->base64 == "ZgD/");
    CHECK(d.loaded.catalog.packages[1].icon->base64 == "");
}

TEST_CASE("base64 is kept in canonical form") {
    const Decoded d("schema: olm.package\nicon:\n  base64data: |\n    Zm9v\n    YmE=\n");
    CHECK(d.findings() == "");
    CHECK(d.loaded.catalog.packages[0].icon->base64 == "Zm9vYmE=");
}
