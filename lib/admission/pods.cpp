// Deployments and the pods that they make.
#include "opcat/admission/checks.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

namespace opcat::admission {
namespace {

using kube::Fields;

// "100m", "1Gi", 2.
std::optional<double> amount_of(const Fields& quantity) {
    const Value& value = quantity.value();
    if (value.kind() == Value::Kind::real) return value.real();
    if (value.is_number()) return static_cast<double>(quantity.number());
    const std::string text(value.string_or_empty());
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || !std::isfinite(number)) return std::nullopt;
    struct Suffix {
        std::string_view text;
        double factor;
    };
    static constexpr Suffix suffixes[] = {
        {"", 1},        {"n", 1e-9},    {"u", 1e-6},    {"m", 1e-3},    {"k", 1e3},     {"M", 1e6},
        {"G", 1e9},     {"T", 1e12},    {"P", 1e15},    {"E", 1e18},    {"Ki", 0x1p10}, {"Mi", 0x1p20},
        {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60},
    };
    for (const Suffix& suffix : suffixes)
        if (suffix.text == end) return number * suffix.factor;
    return std::nullopt;
}

// Returns true for 0 and "0%"; what is not given is 25%.
bool is_none(const Fields& amount) {
    if (!amount) return false;
    if (!amount.value().is_string()) return amount.number() == 0;
    const std::string_view text = amount.value().string();
    return text.ends_with('%') && text.size() > 1 && text.find_first_not_of('0') == text.size() - 1;
}

class PodChecker {
public:
    PodChecker(const Fields& spec, std::string path, Refusals& out)
        : spec_(spec), path_(std::move(path)), out_(out) {}

    void check() {
        check_volumes();
        if (spec_.items("containers").empty()) out_.required(path_ + ".containers", spec_);
        for (const std::string_view list : {"initContainers", "containers"}) {
            size_t index = 0;
            for (const Fields container : spec_.items(list))
                check_container(container, item(path_ + "." + std::string(list), index++),
                                list == "initContainers");
        }
        // A Deployment restarts its pods always.
        if (const std::string_view policy = spec_.text("restartPolicy");
            !policy.empty() && policy != "Always")
            out_.not_supported(path_ + ".restartPolicy", spec_.at("restartPolicy"), {"Always"});
        out_.check_choice(path_ + ".dnsPolicy", spec_.at("dnsPolicy"),
                          {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
        check_names();
        check_security(spec_.at("securityContext"), path_ + ".securityContext");
        check_scheduling(spec_, path_, out_);
        check_dns();
        if (spec_.at("activeDeadlineSeconds"))
            out_.forbidden(path_ + ".activeDeadlineSeconds", spec_.at("activeDeadlineSeconds"),
                           "activeDeadlineSeconds in ReplicaSet is not Supported");
    }

private:
    void check_names() {
        for (const std::string_view field : {"serviceAccountName", "priorityClassName", "runtimeClassName"})
            if (const Fields name = spec_.at(field); name && !name.value().string_or_empty().empty())
                for (const std::string& error : kube::subdomain_errors(name.value().string_or_empty()))
                    out_.invalid(path_ + "." + std::string(field), name, error);
        for (const std::string_view field : {"hostname", "subdomain"})
            if (const Fields name = spec_.at(field); name && !name.value().string_or_empty().empty())
                for (const std::string& error : dns1123_label_errors(name.value().string_or_empty()))
                    out_.invalid(path_ + "." + std::string(field), name, error);
    }

    void check_volumes() {
        size_t index = 0;
        for (const Fields volume : spec_.items("volumes")) {
            const std::string path = item(path_ + ".volumes", index++);
            const std::string_view name = volume.text("name");
            if (name.empty()) {
                out_.required(path + ".name", volume);
            } else {
                for (const std::string& error : dns1123_label_errors(name))
                    out_.invalid(path + ".name", volume.at("name"), error);
                if (!volumes_.insert(name).second) out_.duplicate(path + ".name", volume.at("name"));
            }
            size_t sources = 0;
            for (const Member& member : volume.members())
                if (member.key.string() != "name" && !member.value.is_null() && ++sources > 1)
                    out_.forbidden(path + "." + std::string(member.key.string()), Fields(member.value),
                                   "may not specify more than 1 volume type");
            const auto need = [&](std::string_view source, std::string_view field) {
                if (const Fields found = volume.at(source); found && found.text(field).empty())
                    out_.required(fmt::format("{}.{}.{}", path, source, field), found);
            };
            need("secret", "secretName");
            need("configMap", "name");
            need("hostPath", "path");
            need("persistentVolumeClaim", "claimName");
        }
    }

    void check_container(const Fields& container, const std::string& path, bool is_init) {
        const std::string_view name = container.text("name");
        if (name.empty()) {
            out_.required(path + ".name", container);
        } else {
            for (const std::string& error : dns1123_label_errors(name))
                out_.invalid(path + ".name", container.at("name"), error);
            if (!containers_.insert(name).second) out_.duplicate(path + ".name", container.at("name"));
        }
        const std::string_view image = container.text("image");
        if (image.empty())
            out_.required(path + ".image", container);
        else if (trim_white_space(image) != image)
            out_.invalid(path + ".image", container.at("image"),
                         "must not have leading or trailing whitespace");
        out_.check_choice(path + ".imagePullPolicy", container.at("imagePullPolicy"),
                          {"Always", "IfNotPresent", "Never"});
        out_.check_choice(path + ".terminationMessagePolicy", container.at("terminationMessagePolicy"),
                          {"FallbackToLogsOnError", "File"});
        check_ports(container, path);
        check_environment(container, path);
        check_mounts(container, path);
        check_resources(container.at("resources"), path + ".resources");
        check_security(container.at("securityContext"), path + ".securityContext");
        const bool is_sidecar = is_init && container.text("restartPolicy") == "Always";
        for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"})
            if (const Fields found = container.at(probe)) {
                const std::string where = path + "." + std::string(probe);
                if (is_init && !is_sidecar)
                    out_.forbidden(where, found,
                                   "must not be set for init containers without restartPolicy=Always");
                else
                    check_handler(found, where, {"exec", "httpGet", "tcpSocket", "grpc"});
            }
        for (const std::string_view hook : {"postStart", "preStop"})
            if (const Fields found = container.at("lifecycle", hook))
                check_handler(found, fmt::format("{}.lifecycle.{}", path, hook),
                              {"exec", "httpGet", "tcpSocket", "sleep"});
    }

    void check_handler(const Fields& handler, const std::string& path,
                       std::initializer_list<std::string_view> kinds) {
        size_t count = 0;
        for (const std::string_view kind : kinds) {
            const Fields found = handler.at(kind);
            if (!found) continue;
            const std::string where = path + "." + std::string(kind);
            if (++count > 1) out_.forbidden(where, found, "may not specify more than 1 handler type");
            if (kind == "exec" && found.items("command").empty()) out_.required(where + ".command", found);
            if (kind == "httpGet" || kind == "tcpSocket" || kind == "grpc") {
                if (const Fields port = found.at("port"))
                    check_port(where + ".port", port, out_);
                else
                    out_.add(where + ".port", found,
                             "Invalid value: 0: must be between 1 and 65535, inclusive");
            }
            if (kind == "httpGet")
                out_.check_choice(where + ".scheme", found.at("scheme"), {"HTTP", "HTTPS"});
        }
        if (count == 0) out_.required(path, handler, "must specify a handler type");
        for (const std::string_view field : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                             "successThreshold", "failureThreshold"})
            if (const Fields found = handler.at(field); found && found.number() < 0)
                out_.invalid(path + "." + std::string(field), found, "must be greater than or equal to 0");
        if (path.ends_with("livenessProbe") && handler.number_or(1, "successThreshold") > 1)
            out_.invalid(path + ".successThreshold", handler.at("successThreshold"), "must be 1");
    }

    void check_ports(const Fields& container, const std::string& path) {
        std::set<std::string_view> names;
        size_t index = 0;
        for (const Fields port : container.items("ports")) {
            const std::string where = item(path + ".ports", index++);
            if (const std::string_view name = port.text("name"); !name.empty()) {
                for (const std::string& error : port_name_errors(name))
                    out_.invalid(where + ".name", port.at("name"), error);
                if (!names.insert(name).second) out_.duplicate(where + ".name", port.at("name"));
            }
            if (port.number("containerPort") == 0)
                out_.required(where + ".containerPort", port);
            else
                check_port(where + ".containerPort", port.at("containerPort"), out_);
            if (const Fields host = port.at("hostPort"); host.number() != 0) {
                check_port(where + ".hostPort", host, out_);
                if (spec_.flag("hostNetwork") && host.number() != port.number("containerPort"))
                    out_.invalid(where + ".hostPort", host,
                                 "must match `containerPort` when `hostNetwork` is true");
            }
            out_.check_choice(where + ".protocol", port.at("protocol"), {"SCTP", "TCP", "UDP"});
        }
    }

    void check_environment(const Fields& container, const std::string& path) {
        size_t index = 0;
        for (const Fields variable : container.items("env")) {
            const std::string where = item(path + ".env", index++);
            const std::string_view name = variable.text("name");
            // Since 1.34; earlier releases accept fewer characters.
            if (name.empty())
                out_.required(where + ".name", variable);
            else if (!std::all_of(name.begin(), name.end(),
                                  [](char c) { return c >= ' ' && c <= '~' && c != '='; }))
                out_.invalid(
                    where + ".name", variable.at("name"),
                    "a valid environment variable name must consist only of printable ASCII characters "
                    "other than '='");
            const Fields from = variable.at("valueFrom");
            if (!from) continue;
            const auto sources = from.members();
            const auto count = std::count_if(sources.begin(), sources.end(),
                                             [](const Member& one) { return !one.value.is_null(); });
            if (!variable.text("value").empty())
                out_.add(where + ".valueFrom", from,
                         "Invalid value: \"\": may not be specified when `value` is not empty");
            else if (count != 1)
                out_.add(where + ".valueFrom", from,
                         count == 0
                             ? "Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, "
                               "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
                             : "Invalid value: \"\": may not have more than one field specified at a time");
            for (const std::string_view source : {"configMapKeyRef", "secretKeyRef"})
                if (const Fields found = from.at(source); found && found.text("key").empty())
                    out_.required(fmt::format("{}.valueFrom.{}.key", where, source), found);
        }
    }

    void check_mounts(const Fields& container, const std::string& path) {
        std::set<std::string_view> paths;
        size_t index = 0;
        for (const Fields mount : container.items("volumeMounts")) {
            const std::string where = item(path + ".volumeMounts", index++);
            const std::string_view name = mount.text("name");
            if (name.empty())
                out_.required(where + ".name", mount);
            else if (!volumes_.contains(name))
                out_.add(where + ".name", mount.at("name"), fmt::format("Not found: {}", go_quote(name)));
            const std::string_view target = mount.text("mountPath");
            if (target.empty())
                out_.required(where + ".mountPath", mount);
            else if (!paths.insert(target).second)
                out_.invalid(where + ".mountPath", mount.at("mountPath"), "must be unique");
        }
    }

    void check_resources(const Fields& resources, const std::string& path) {
        for (const std::string_view list : {"limits", "requests"})
            for (const Member& member : resources.members(list)) {
                const auto amount = amount_of(Fields(member.value));
                const std::string where = entry(path + "." + std::string(list), member.key.string());
                if (amount && *amount < 0)
                    out_.invalid(where, Fields(member.value), "must be greater than or equal to 0");
                const auto limit = amount_of(resources.at("limits", member.key.string()));
                if (list == "requests" && amount && limit && *amount > *limit)
                    out_.invalid(
                        where, Fields(member.value),
                        fmt::format(
                            "must be less than or equal to {} limit of {}", member.key.string(),
                            resources.at("limits", member.key.string()).value().is_string()
                                ? resources.text("limits", member.key.string())
                                : kube::to_text(resources.at("limits", member.key.string()).value())));
            }
    }

    void check_dns() {
        if (spec_.text("dnsPolicy") != "None") return;
        const Fields config = spec_.at("dnsConfig");
        if (!config)
            out_.required(path_ + ".dnsConfig", spec_.at("dnsPolicy"),
                          "must provide `dnsConfig` when `dnsPolicy` is None");
        else if (config.items("nameservers").empty())
            out_.required(path_ + ".dnsConfig.nameservers", config,
                          "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }

    // The security context of the pod or of a container.
    void check_security(const Fields& context, const std::string& path) {
        if (const Fields profile = context.at("seccompProfile")) {
            const std::string where = path + ".seccompProfile";
            const Fields file = profile.at("localhostProfile");
            if (profile.text("type").empty())
                out_.required(where + ".type", profile, "type is required when seccompProfile is set");
            out_.check_choice(where + ".type", profile.at("type"),
                              {"Localhost", "RuntimeDefault", "Unconfined"});
            if (profile.text("type") != "Localhost") {
                if (file)
                    out_.invalid(where + ".localhostProfile", profile,
                                 "can only be set when seccomp type is Localhost");
            } else if (!file) {
                out_.required(where + ".localhostProfile", profile,
                              "must be set when seccomp type is Localhost");
            }
        }
        for (const std::string_view field : {"runAsUser", "runAsGroup", "fsGroup"})
            if (const Fields id = context.at(field); id && (id.number() < 0 || id.number() > INT32_MAX))
                out_.invalid(fmt::format("{}.{}", path, field), id,
                             "must be between 0 and 2147483647, inclusive");
        const Fields escalation = context.at("allowPrivilegeEscalation");
        if (escalation && !context.flag("allowPrivilegeEscalation") && context.flag("privileged"))
            out_.invalid(path, context,
                         "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }

    const Fields& spec_;
    std::string path_;
    Refusals& out_;
    std::set<std::string_view> volumes_;
    std::set<std::string_view> containers_;
};

} // namespace

void check_deployment(const Fields& spec, Refusals& out) {
    for (const std::string_view field : {"replicas", "minReadySeconds", "revisionHistoryLimit"})
        if (const Fields number = spec.at(field); number && number.number() < 0)
            out.invalid("spec." + std::string(field), number, "must be greater than or equal to 0");
    const Fields selector = spec.at("selector");
    const Fields pod = spec.at("template");
    const size_t before = out.list().size();
    if (!selector) {
        out.required("spec.selector", spec);
    } else {
        check_selector("spec.selector", selector, out);
        if (selector.members("matchLabels").empty() && selector.items("matchExpressions").empty())
            out.invalid("spec.selector", selector, "empty selector is invalid for deployment");
    }
    const bool is_valid = out.list().size() == before;
    const Fields labels = pod.at("metadata", "labels");
    check_labels("spec.template.metadata.labels", labels, out);
    if (is_valid && !kube::selects(selector, pod)) {
        const std::string why = "`selector` does not match template `labels`";
        if (labels)
            out.invalid("spec.template.metadata.labels", labels, why);
        else
            out.add("spec.template.metadata.labels", pod ? pod : spec, "Invalid value: null: " + why);
    }
    const Fields strategy = spec.at("strategy");
    out.check_choice("spec.strategy.type", strategy.at("type"), {"Recreate", "RollingUpdate"});
    if (strategy.text("type") == "Recreate" && strategy.at("rollingUpdate"))
        out.forbidden("spec.strategy.rollingUpdate", strategy.at("rollingUpdate"),
                      "may not be specified when strategy `type` is 'Recreate'");
    if (const Fields rolling = strategy.at("rollingUpdate"); rolling && strategy.text("type") != "Recreate") {
        const std::string path = "spec.strategy.rollingUpdate";
        const Fields unavailable = rolling.at("maxUnavailable");
        check_amount(path + ".maxUnavailable", unavailable, true, out);
        check_amount(path + ".maxSurge", rolling.at("maxSurge"), false, out);
        if (is_none(unavailable) && is_none(rolling.at("maxSurge")))
            out.invalid(path + ".maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0");
    }
    if (const int64_t deadline = spec.number_or(600, "progressDeadlineSeconds");
        deadline <= spec.number("minReadySeconds"))
        out.add("spec.progressDeadlineSeconds", spec,
                fmt::format("Invalid value: {}: must be greater than minReadySeconds", deadline));
    const Fields pod_spec = pod.at("spec");
    PodChecker(pod_spec ? pod_spec : spec.at("there is none"), "spec.template.spec", out).check();
}

} // namespace opcat::admission
