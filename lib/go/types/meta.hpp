// k8s.io/apimachinery: what all objects have.
#pragma once

#include "opcat/go/type.hpp"

namespace opcat::go::types {

inline constexpr Structure local_reference{{{"name"}}};
inline constexpr Structure object_meta_owner_references{
    {{"apiVersion"}, {"kind"}, {"name"}, {"uid"}, {"controller", boolean}, {"blockOwnerDeletion", boolean}}};
inline constexpr Structure object_meta_managed_fields{{{"manager"},
                                                       {"operation"},
                                                       {"apiVersion"},
                                                       {"time", time},
                                                       {"fieldsType"},
                                                       {"fieldsV1", any},
                                                       {"subresource"}}};
inline constexpr Structure object_meta{"ObjectMeta",
                                       {{"name"},
                                        {"generateName"},
                                        {"namespace"},
                                        {"selfLink"},
                                        {"uid"},
                                        {"resourceVersion"},
                                        {"generation", int64},
                                        {"creationTimestamp", time},
                                        {"deletionTimestamp", time},
                                        {"deletionGracePeriodSeconds", int64},
                                        {"labels", map_of<string>},
                                        {"annotations", map_of<string>},
                                        {"finalizers", list_of<string>},
                                        {"ownerReferences", list_of<object_meta_owner_references>},
                                        {"managedFields", list_of<object_meta_managed_fields>}}};
inline constexpr Structure selector_requirement{{{"key"}, {"operator"}, {"values", list_of<string>}}};
inline constexpr Structure label_selector{
    {{"matchLabels", map_of<string>}, {"matchExpressions", list_of<selector_requirement>}}};

} // namespace opcat::go::types
