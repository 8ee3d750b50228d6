// oc-mirror's ImageSetConfiguration and DeleteImageSetConfiguration: internal/pkg/api/v2alpha1.
#pragma once

#include "opcat/go/type.hpp"

namespace opcat::go::types {

inline constexpr Structure instance_platform_filter{"v2alpha1.InstancePlatformFilter",
                                                    {{"os"}, {"architecture"}}};
inline constexpr Structure release_channel{
    "v2alpha1.ReleaseChannel",
    {{"name"}, {"type"}, {"minVersion"}, {"maxVersion"}, {"shortestPath", boolean}, {"full", boolean}}};
inline constexpr Structure mirrored_platform{"v2alpha1.Platform",
                                             {{"graph", boolean},
                                              {"channels", list_of<release_channel>},
                                              {"architectures", list_of<string>},
                                              {"platforms", list_of<instance_platform_filter>},
                                              {"release"},
                                              {"kubeVirtContainer", boolean}}};
inline constexpr Structure include_channel{"v2alpha1.IncludeChannel",
                                           {{"name"}, {"minVersion"}, {"maxVersion"}}};
inline constexpr Structure include_package{
    "v2alpha1.IncludePackage",
    {{"name"}, {"channels", list_of<include_channel>}, {"defaultChannel"}, {"minVersion"}, {"maxVersion"}}};
inline constexpr Structure mirrored_operator{"v2alpha1.Operator",
                                             {{"packages", list_of<include_package>},
                                              {"catalog"},
                                              {"targetCatalog"},
                                              {"targetTag"},
                                              {"full", boolean},
                                              {"skipDependencies", boolean},
                                              {"targetCatalogSourceTemplate"},
                                              {"platforms", list_of<instance_platform_filter>}}};
inline constexpr Structure additional_image{
    "v2alpha1.AdditionalImage",
    {{"name"}, {"targetRepo"}, {"targetTag"}, {"platforms", list_of<instance_platform_filter>}}};
inline constexpr Structure helm_chart{"v2alpha1.Chart",
                                      {{"name"},
                                       {"version"},
                                       {"path"},
                                       {"imagePaths", list_of<string>},
                                       {"platforms", list_of<instance_platform_filter>}}};
inline constexpr Structure helm_repository{"v2alpha1.Repository",
                                           {{"url"}, {"name"}, {"charts", list_of<helm_chart>}}};
inline constexpr Structure mirrored_helm{
    "v2alpha1.Helm", {{"repositories", list_of<helm_repository>}, {"local", list_of<helm_chart>}}};
inline constexpr Structure blocked_image{"v2alpha1.BlockedImage", {{"name"}}};
inline constexpr Structure sample_image{"v2alpha1.SampleImage", {{"name"}}};
inline constexpr Structure mirrored{"v2alpha1.Mirror",
                                    {{"platform", mirrored_platform},
                                     {"operators", list_of<mirrored_operator>},
                                     {"additionalImages", list_of<additional_image>},
                                     {"helm", mirrored_helm},
                                     {"blockedImages", list_of<blocked_image>},
                                     {"samples", list_of<sample_image>}}};
inline constexpr Structure image_set_configuration{
    "v2alpha1.ImageSetConfiguration",
    {{"kind"}, {"apiVersion"}, {"mirror", mirrored}, {"archiveSize", int64}}};
inline constexpr Structure deleted{"v2alpha1.Delete",
                                   {{"platform", mirrored_platform},
                                    {"operators", list_of<mirrored_operator>},
                                    {"additionalImages", list_of<additional_image>},
                                    {"helm", mirrored_helm},
                                    {"samples", list_of<sample_image>}}};
inline constexpr Structure delete_image_set_configuration{"v2alpha1.DeleteImageSetConfiguration",
                                                          {{"kind"}, {"apiVersion"}, {"delete", deleted}}};

} // namespace opcat::go::types
