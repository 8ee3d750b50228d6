// A small repository of operators in a directory of its own.
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

struct ExampleRepository {
    opcat::TemporaryDirectory directory{std::filesystem::temp_directory_path()};

    const std::filesystem::path& path() const { return directory.path(); }
    void write(const std::string& name, std::string_view text) const {
        std::filesystem::create_directories((path() / name).parent_path());
        std::ofstream(path() / name, std::ios::binary) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path() / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void replace(const std::string& name, std::string_view from, std::string_view to) const {
        write(name, opcat::replace_all(read(name), from, to));
    }
    void add_bundle(std::string_view version, std::string_view replaces = "") const {
        const std::string root = fmt::format("operators/shop/{}/", version);
        write(root + "metadata/annotations.yaml",
              "annotations:\n  operators.operatorframework.io.bundle.package.v1: shop\n"
              "  operators.operatorframework.io.bundle.channels.v1: stable\n"
              "  com.redhat.openshift.versions: v4.12\n");
        std::string csv = fmt::format(
            "metadata:\n  name: shop.v{0}\n  annotations: {{capabilities: Basic Install, categories: "
            "Database, "
            "containerImage: 'quay.io/x/y:1', createdAt: '2024-01-02', repository: 'https://x.example', "
            "support: Example, description: An example operator}}\nspec:\n  displayName: Shop\n  "
            "description: An "
            "operator for tests only\n  icon: [{{base64data: AAAA, mediatype: image/png}}]\n  version: {0}\n "
            " "
            "maintainers: [{{name: a, email: b}}]\n  provider: {{name: Example}}\n  links: [{{name: a, url: "
            "b}}]\n  "
            "keywords: [a]\n",
            version);
        if (!replaces.empty()) csv += fmt::format("  replaces: {}\n", replaces);
        write(root + "manifests/shop.clusterserviceversion.yaml", csv);
    }
    // Two bundles that every check accepts.
    ExampleRepository() {
        write("operators/shop/ci.yaml", "updateGraph: replaces-mode\n");
        add_bundle("1.0.0");
        add_bundle("1.1.0", "shop.v1.0.0");
    }
};
