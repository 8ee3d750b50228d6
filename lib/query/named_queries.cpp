#include "opcat/query/named_queries.hpp"

namespace opcat::query {
namespace {

constexpr NamedQuery queries[] = {
    {"all-namespaces", "which default heads can watch all namespaces?",
     "SELECT c.catalog, c.package, c.head FROM channels c JOIN install_modes m ON m.catalog = c.catalog AND "
     "m.package = c.package AND m.bundle = c.head WHERE c.is_default AND m.mode = 'AllNamespaces' ORDER BY "
     "1, 2"},
    {"apis", "which package provides which kind, in its default channel?",
     "SELECT DISTINCT a.catalog, a.kind, a.api_group, a.version, a.package FROM apis a JOIN channels c ON "
     "c.catalog = a.catalog AND c.package = a.package AND c.head = a.bundle WHERE a.role = 'provided' AND "
     "c.is_default ORDER BY 1, 2, 3, 4, 5"},
    {"bundles-in-no-channel", "which bundles are in no channel?",
     "SELECT b.catalog, b.package, b.name FROM bundles b LEFT JOIN entries e ON e.catalog = b.catalog AND "
     "e.package = b.package AND e.name = b.name WHERE e.name IS NULL ORDER BY 1, 2, b.version_rank"},
    {"capabilities", "which capability levels do the default heads have?",
     "SELECT b.catalog, coalesce(b.capabilities, 'not said') AS capabilities, count(*) AS packages FROM "
     "bundles b "
     "JOIN channels c ON c.catalog = b.catalog AND c.package = b.package AND c.head = b.name WHERE "
     "c.is_default "
     "GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2"},
    {"categories", "which packages are in which category?",
     "WITH heads AS (SELECT b.catalog, b.package, b.categories FROM bundles b JOIN channels c ON c.catalog = "
     "b.catalog AND c.package = b.package AND c.head = b.name WHERE c.is_default), split(catalog, package, "
     "one, "
     "rest) AS (SELECT catalog, package, NULL, categories || ',' FROM heads WHERE categories IS NOT NULL "
     "UNION ALL "
     "SELECT catalog, package, trim(substr(rest, 1, instr(rest, ',') - 1)), substr(rest, instr(rest, ',') + "
     "1) FROM "
     "split WHERE rest <> '') SELECT catalog, one AS category, group_concat(package, ', ') AS packages FROM "
     "split "
     "WHERE one <> '' GROUP BY 1, 2 ORDER BY 1, 2"},
    {"channel-heads", "what is the head of each channel?",
     "SELECT catalog, package, name AS channel, head, head_version FROM channels ORDER BY 1, 2, 3"},
    {"dependencies", "which default heads require others, and what?",
     "SELECT DISTINCT d.catalog, d.package, d.type, d.requires, d.range FROM dependencies d JOIN channels c "
     "ON "
     "c.catalog = d.catalog AND c.package = d.package AND c.head = d.bundle WHERE c.is_default ORDER BY 1, "
     "2, 3, 4"},
    {"deprecated", "what is deprecated, and why?",
     "SELECT catalog, package, schema, name, message FROM deprecations ORDER BY 1, 2, 3, 4"},
    {"disagreements", "which edges does only one of the two OLMs take?",
     "SELECT catalog, package, channel, from_name, to_name, kind, olm_classic, olm_v1 FROM edges WHERE "
     "olm_classic "
     "<> olm_v1 ORDER BY 1, 2, 3, 4, 5"},
    {"findings-by-rule", "which findings are there, and how many?",
     "SELECT catalog, level, rule, count(*) AS findings FROM findings GROUP BY 1, 2, 3 ORDER BY 1, 2, 4 "
     "DESC, 3"},
    {"images-by-registry", "which registries do the images come from?",
     "SELECT catalog, coalesce(registry, 'not valid') AS registry, role, count(DISTINCT pull_spec) AS images "
     "FROM "
     "images GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"},
    {"images-of-heads", "which images do the default heads need?",
     "SELECT DISTINCT i.catalog, i.package, i.role, i.pull_spec FROM images i JOIN channels c ON c.catalog = "
     "i.catalog AND c.package = i.package AND c.head = i.bundle WHERE c.is_default ORDER BY 1, 2, 3, 4"},
    {"images-without-digest", "which images are named by a tag, and so may change?",
     "SELECT DISTINCT catalog, package, bundle, role, pull_spec FROM images WHERE digest IS NULL ORDER BY 1, "
     "2, 3, 4, "
     "5"},
    {"largest-packages", "which packages have the most bundles?",
     "SELECT catalog, name AS package, bundles, channels FROM packages ORDER BY bundles DESC, 1, 2 LIMIT 20"},
    {"max-openshift", "which default heads hold back an upgrade of OpenShift?",
     "SELECT b.catalog, b.package, b.name AS bundle, b.max_openshift FROM bundles b JOIN channels c ON "
     "c.catalog = "
     "b.catalog AND c.package = b.package AND c.head = b.name WHERE c.is_default AND b.max_openshift IS NOT "
     "NULL "
     "ORDER BY 1, 2"},
    {"missing-packages", "which packages are in one of the catalogs and not in another?",
     "SELECT p.name AS package, p.catalog AS is_in, o.name AS is_not_in FROM packages p JOIN catalogs o ON "
     "o.name "
     "<> p.catalog LEFT JOIN packages q ON q.catalog = o.name AND q.name = p.name WHERE q.name IS NULL ORDER "
     "BY 1, "
     "2, 3",
     2},
    {"other-blobs", "which blobs of other schemas are there?",
     "SELECT catalog, schema, count(*) AS blobs, count(DISTINCT package) AS packages FROM blobs GROUP BY 1, "
     "2 ORDER BY "
     "1, 2"},
    {"properties", "which types of properties are used, and by how many bundles?",
     "SELECT catalog, type, count(*) AS properties, count(DISTINCT bundle) AS bundles FROM properties GROUP "
     "BY 1, 2 "
     "ORDER BY 1, 3 DESC, 2"},
    {"providers", "who provides how many packages?",
     "SELECT catalog, coalesce(provider, 'not said') AS provider, count(*) AS packages FROM packages GROUP "
     "BY 1, 2 "
     "ORDER BY 1, 3 DESC, 2"},
    {"same-image", "which bundles have the same image?",
     "SELECT catalog, pull_spec, group_concat(bundle, ', ') AS bundles FROM images WHERE role = 'bundle' "
     "GROUP BY 1, 2 "
     "HAVING count(*) > 1 ORDER BY 1, 2"},
    {"shared-apis", "which kinds are provided by several packages?",
     "SELECT catalog, kind, api_group, group_concat(DISTINCT package) AS packages FROM apis WHERE role = "
     "'provided' "
     "GROUP BY 1, 2, 3 HAVING count(DISTINCT package) > 1 ORDER BY 1, 2, 3"},
    {"unreachable", "which entries, apart from heads, does no edge lead to?",
     "SELECT e.catalog, e.package, e.channel, e.name FROM entries e LEFT JOIN edges g ON g.catalog = "
     "e.catalog AND "
     "g.package = e.package AND g.channel = e.channel AND g.to_name = e.name WHERE g.to_name IS NULL AND NOT "
     "e.is_head "
     "ORDER BY 1, 2, 3, 4"},
};

} // namespace

std::span<const NamedQuery> named_queries() {
    return queries;
}

} // namespace opcat::query
