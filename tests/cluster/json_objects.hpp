// Objects made of JSON.
#pragma once

#include "opcat/cluster/objects.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace opcat::cluster {

inline std::vector<Object> objects_of(const std::vector<Json>& all) {
    std::vector<Object> objects;
    for (const Json& json : all) objects.push_back(object_of(json));
    return objects;
}

} // namespace opcat::cluster
