// A plan as Markdown, for the people who carry it out.
#include "opcat/base/text.hpp"
#include "opcat/migration/migration.hpp"

#include <fmt/format.h>

namespace opcat::migration {
namespace {

// Names and messages come from a cluster: as code they are not live.
std::string code(std::string_view text) {
    std::string escaped = escape_controls(on_one_line(text));
    for (char& c : escaped)
        if (c == '`') c = '\'';
    return "`" + escaped + "`";
}

// The same in a table.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : code(text)) escaped += c == '|' ? "\\|" : std::string(1, c);
    return escaped;
}

std::string blocks(const std::vector<cluster::Object>& objects) {
    std::string yaml;
    for (const cluster::Object& object : objects)
        yaml += (yaml.empty() ? "" : "---\n") + kube::to_yaml(object.value());
    // Longer than any in a text of the cluster, which would end the block.
    std::string fence = "```";
    while (yaml.find(fence) != std::string::npos) fence += '`';
    return fmt::format("{0}yaml\n{1}{0}\n", fence, yaml);
}

void add_summary(const Plan& plan, std::string& text) {
    text += fmt::format("# From OLM classic to {}\n\n", plan.release.describe());
    text += "| package | namespace | installed | standing | why |\n|---|---|---|---|---|\n";
    for (const OperatorPlan& one : plan.operators)
        text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(one.package), cell(one.ns),
                            one.installed.empty() ? "" : cell(one.installed), to_string(one.standing),
                            one.obstacles.empty() ? "" : cell(one.obstacles.front().message));
}

void add_catalogs(const Plan& plan, std::string& text) {
    if (plan.catalogs.empty()) return;
    text += "\n## Catalogs\n\nOLM v1 reads ClusterCatalogs. Apply these first, and wait until they are "
            "Serving.\n\n";
    std::vector<cluster::Object> objects;
    for (const CatalogPlan& catalog : plan.catalogs) {
        const std::string name = code(catalog.ns + "/" + catalog.name);
        if (!catalog.why_not.empty())
            text += fmt::format("- {} cannot move: {}\n", name, code(catalog.why_not));
        else
            text += fmt::format("- {} is ClusterCatalog {}{}\n", name, code(catalog.cluster_catalog),
                                catalog.exists ? ", which serves the same image" : "");
        for (const std::string& remark : catalog.remarks) text += fmt::format("  - {}\n", code(remark));
        if (catalog.object) objects.push_back(*catalog.object);
    }
    if (!objects.empty()) text += "\n" + blocks(objects);
}

void add_operator(const OperatorPlan& one, std::string& text) {
    text += fmt::format("\n## {} in {}: {}\n\n", code(one.package), code(one.ns), to_string(one.standing));
    for (const Obstacle& obstacle : one.obstacles)
        text += fmt::format("- {}: {}\n", obstacle.check, code(obstacle.message));
    if (one.detour) {
        text += fmt::format("- {} does not have what its bundle has against it.", code(one.detour->bundle));
        if (!one.detour->channel.empty())
            text += fmt::format(" Move the Subscription to channel {}:", code(one.detour->channel));
        text += fmt::format(" OLM classic gets there in {} {}.\n", one.detour->steps.size(),
                            one.detour->steps.size() == 1 ? "step" : "steps");
    }
    if (one.standing != Standing::eligible) return;
    if (!one.lost.empty()) {
        text += "\nOLM v1 does not do:\n\n";
        for (const std::string& lost : one.lost) text += fmt::format("- {}\n", code(lost));
    }
    text += fmt::format(
        "\n1. Keep what the way back needs:\n\n"
        "       kubectl get subscription,csv,installplan,operatorgroup -n {0} -o yaml > {0}-{1}.yaml\n\n"
        "   and the objects of the operator's own kinds.\n"
        "2. Convert the running operator, so that its objects belong to the ClusterExtension below. "
        "opcat does not do this: operator-framework/library-olm has example programs for it (check, "
        "gather, convert, rollback, cleanup). OLM v1 does not take over objects of OLM classic by "
        "itself: it reports that they exist and cannot be managed.\n"
        "3. Wait until the ClusterExtension is Installed, and the operator does its work.\n"
        "4. The way back, before OLM classic's objects are cleaned up: delete the ClusterExtension with "
        "`--cascade=orphan`, and apply the file of step 1.\n\n",
        escape_controls(on_one_line(one.ns)), escape_controls(on_one_line(one.package)));
    text += blocks(one.objects);
}

} // namespace

std::string as_markdown(const Plan& plan) {
    std::string text;
    add_summary(plan, text);
    add_catalogs(plan, text);
    for (const OperatorPlan& one : plan.operators)
        if (one.standing != Standing::already_migrated) add_operator(one, text);
    return text;
}

} // namespace opcat::migration
