#include "classic_inputs.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "commands/resolve.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/resolve/classic/preflight.hpp"
#include "opcat/resolve/classic/subscribe.hpp"
#include "opcat/workspace/classic_sources.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <span>

namespace opcat {
namespace {

using namespace classic;

struct ResolveClassicOptions {
    std::string ns;
    std::string global_ns;
    bool from_cluster = false;
    ClusterFlags connection;
    std::vector<std::string> catalogs;
    std::vector<std::string> cluster;
    std::vector<std::string> subscribe;
    std::string fail_on;
    bool to_end = false;
    bool explain = false;
    bool objects = false;
    Form format = Form::text;
    BatchFlags batch;
    ImageFlags images;
};

class ResolveClassic {
public:
    ResolveClassic(const ResolveClassicOptions& options, Session& session)
        : options_(options), session_(session), sources_(opening(options.images, session), session.pool()) {}

    void run() {
        if (!read_cluster() || !load_catalogs()) {
            session_.exit_status = exit_findings;
            return;
        }
        global_ns_ = global_ns();
        require_catalogs();
        for (const std::string& wish : options_.subscribe) subscribe(wish);
        const auto [clusters, rounds] =
            resolve_rounds({options_.ns, global_ns_, &cluster_, catalogs_}, {.to_end = options_.to_end,
                                                                             .choices = options_.explain,
                                                                             .objects = options_.objects,
                                                                             .inputs = input_names()});
        for (const Round& round : rounds)
            if (round.fails() || (!options_.fail_on.empty() && round.leaves_stranded()))
                session_.exit_status = exit_findings;
        if (options_.format == Form::json)
            session_.out.write(rounds_as_json(options_.ns, rounds));
        else
            print_text(rounds);
    }

private:
    std::string global_ns() const {
        if (!options_.global_ns.empty()) return options_.global_ns;
        if (!live_global_ns_.empty()) return live_global_ns_;
        return likely_global_namespace(cluster_, options_.ns);
    }

    bool read_cluster() {
        cluster::require_namespace(options_.ns);
        Diagnostics findings;
        read_cluster_files(options_.cluster, cluster_, findings);
        if (options_.from_cluster) read_live_cluster(findings);
        print_findings(findings, session_);
        // Without a cluster everything counts as ready for a first operator.
        if (options_.cluster.empty() && !options_.from_cluster) {
            OperatorGroup group;
            group.name = "global";
            group.ns = options_.ns;
            cluster_.operator_groups.push_back(std::move(group));
        }
        return findings.empty();
    }

    // The objects of a cluster's namespace as manifests, and the images of the catalogs that it sees.
    void read_live_cluster(Diagnostics& findings) {
        ClusterFlags flags = options_.connection;
        flags.ns = options_.ns;
        const Connection connection = connect(flags, session_);
        choose(connection.served, cluster::Olm::classic);
        const cluster::ClassicObjects objects = cluster::read_classic(connection.kubectl, options_.ns);
        for (const kube::Object& object : objects.for_resolution()) add_object(object, cluster_, findings);
        live_global_ns_ = objects.global_ns;
        all_catalogs_ = objects.all_catalogs;
        for (const std::string& unread : objects.unread) session_.print_warning(unread);
        const std::string global = global_ns();
        for (const kube::Object& catalog : objects.catalogs) {
            const CatalogKey key{catalog.ns, catalog.name};
            const std::string image(catalog.text("spec", "image"));
            if ((key.ns != options_.ns && key.ns != global) || is_named(key)) continue;
            if (const std::string why = add_live(key, image, catalog, connection.kubectl); !why.empty())
                session_.print_warning(
                    fmt::format("without catalog {}: {}; --catalog {}=REF gives its content", key.to_string(),
                                why, key.to_string()));
        }
    }

    // From its image, or else from its registry on the cluster. Returns why neither was possible.
    std::string add_live(const CatalogKey& key, const std::string& image, const kube::Object& catalog,
                         const cluster::Kubectl& kubectl) {
        std::string why = "it names no image";
        try {
            if (!image.empty()) {
                catalogs_.push_back(sources_.catalog(key, image));
                return {};
            }
        } catch (const Error& error) {
            why = error.what();
        }
        try {
            const Source served(
                catalog.describe(),
                cluster::load_served(catalog, read_served(kubectl, catalog), session_.pool()));
            catalogs_.push_back(served_catalog(key, served));
            return {};
        } catch (const Error& error) {
            return fmt::format("{}; nor can its registry be asked: {}", why, error.what());
        }
    }

    // Of a catalog that the user may not read nobody can say that it has nothing.
    void require_catalogs() const {
        if (all_catalogs_) return;
        const Subscription* const asking = without_catalog(options_.ns, cluster_, catalogs_);
        if (!asking) return;
        const CatalogKey key{asking->source_namespace, asking->source};
        throw Error(fmt::format("what OLM would resolve in namespace {} is not known: you may not read "
                                "CatalogSource {}",
                                options_.ns, key.to_string()),
                    fmt::format("--catalog {}=REF gives its content", key.to_string()));
    }

    bool is_named(const CatalogKey& key) const {
        return std::any_of(options_.catalogs.begin(), options_.catalogs.end(),
                           [&](const std::string& text) { return parse_classic_catalog(text).key == key; });
    }

    bool load_catalogs() {
        std::vector<ClassicCatalogOption> named;
        std::vector<std::string> references;
        for (const std::string& text : options_.catalogs) {
            named.push_back(parse_classic_catalog(text));
            if (std::any_of(named.begin(), named.end() - 1,
                            [&](const ClassicCatalogOption& other) { return other.key == named.back().key; }))
                throw RequestError(fmt::format("two catalogs are called {}", named.back().key.to_string()),
                                   "a namespace has only one CatalogSource of each name");
            references.push_back(named.back().reference);
        }
        sources_.open(references);
        bool good = true;
        for (const ClassicCatalogOption& option : named) {
            catalogs_.push_back(sources_.catalog(option.key, option.reference));
            print_findings(sources_.errors(option.reference), session_);
            good = good && sources_.errors(option.reference).empty();
            assume_catalog_source(option.key, option.priority, cluster_);
        }
        return good;
    }

    // "teapot:stable" names a channel, too.
    std::string hint_for(std::string_view package) const {
        const std::vector<std::string_view> known = packages_of(catalogs_);
        if (std::string near = did_you_mean(package, known); !near.empty()) return near;
        const std::string_view start = package.substr(0, package.find_first_of(":=, "));
        if (std::find(known.begin(), known.end(), start) == known.end())
            return known.size() <= 10 ? fmt::format("the catalogs have {}", fmt::join(known, ", "))
                                      : "`opcat list packages` prints those of a catalog";
        return fmt::format("write {}/CHANNEL: its channels are {}", start,
                           fmt::join(channels_of(start, catalogs_), ", "));
    }

    void subscribe(const std::string& wish) {
        std::string package = wish;
        std::string channel;
        std::string starting_csv;
        if (const size_t at = package.find('@'); at != std::string::npos) {
            starting_csv = package.substr(at + 1);
            package.resize(at);
        }
        if (const size_t slash = package.find('/'); slash != std::string::npos) {
            channel = package.substr(slash + 1);
            package.resize(slash);
        }
        if (package.empty())
            throw RequestError(fmt::format("--subscribe {}: the package is missing", wish),
                               "write PACKAGE[/CHANNEL][@STARTING_CSV]");
        if (!subscribed_.insert(package).second)
            throw RequestError(fmt::format("--subscribe names {} twice", package),
                               "a namespace has one Subscription for a package: ask once for each channel");
        if (!assume_subscription(options_.ns, {package, channel, starting_csv}, catalogs_, cluster_))
            throw RequestError(fmt::format("--subscribe {}: no catalog has this package", package),
                               hint_for(package));
    }

    void print_text(const std::deque<Round>& rounds) {
        for (size_t i = 0; i < rounds.size(); ++i) {
            if (rounds.size() > 1) session_.out.write(fmt::format("{}Round {}\n", i > 0 ? "\n" : "", i + 1));
            session_.out.write(to_text(rounds[i]));
            session_.out.flush();
            print_findings(rounds[i].prediction.findings, session_, Severity::note);
        }
    }

    const ResolveClassicOptions& options_;
    std::string live_global_ns_; // from a live cluster
    bool all_catalogs_ = true;   // all of the cluster's can be read
    Session& session_;
    ClassicSources sources_;
    std::string global_ns_;
    std::vector<AvailableCatalog> catalogs_;
    std::set<std::string> subscribed_; // packages of --subscribe
    ClusterState cluster_;
};

} // namespace

void add_resolve_classic(Command resolve, Session& session) {
    const Command command =
        resolve.add_command("classic", "Predict what OLM classic would do in a namespace");
    const auto options = std::make_shared<ResolveClassicOptions>();
    command.add_option("-n,--namespace NAMESPACE", options->ns, "The namespace to resolve");
    command.add_option(
        "--catalog CATALOG", options->catalogs,
        "A catalog, as the CatalogSource of this name serves it: NAMESPACE/NAME=REF[,priority=N]");
    command.add_option("--cluster FILE|DIR", options->cluster,
                       "Manifests of the cluster as kubectl get -o yaml prints them; a directory, or - for "
                       "standard input");
    command.add_flag("--from-cluster", options->from_cluster,
                     "Read the namespace and its catalogs from a cluster, through kubectl");
    add_connection_flags(command, options->connection);
    command.add_option("--subscribe PACKAGE", options->subscribe,
                       "Assume a Subscription: PACKAGE[/CHANNEL][@STARTING_CSV]");
    command.add_option("--global-namespace NAMESPACE", options->global_ns,
                       "The namespace of the catalogs for all namespaces (default: detected, such as "
                       "openshift-marketplace or olm)");
    command
        .add_option("--fail-on", options->fail_on,
                    "Exit with 1 also for an installed version that gets no upgrades: stranded")
        .one_of({"stranded"});
    command.add_flag("--to-end", options->to_end, "Assume that each step succeeds, and continue to the end");
    command.add_flag("--explain", options->explain,
                     "Show which choices would be preferred, and why they are impossible");
    command.add_flag("--objects", options->objects,
                     "Also show the annotations, cluster roles and copied CSVs that OLM would make");
    command.add_choice("-o,--output", options->format, {Form::text, Form::json},
                       "Output format: text or json");
    add_batch_flags(command, options->batch,
                    "Answer the scenarios in FILE, one JSON object a line; - is standard input");
    add_image_flags(command, options->images);
    command.footer(
        "Examples:\n"
        "  kubectl get csv,sub,og,catsrc,operatorcondition,ip -n operators -o yaml > operators.yaml\n"
        "  opcat resolve classic -n operators --cluster operators.yaml \\\n"
        "      --catalog olm/community=catalog/ --subscribe prometheus/beta\n"
        "  opcat resolve classic -n operators --from-cluster --subscribe prometheus/beta\n\n"
        "Exit status: 0 if it can be done, 1 if OLM would refuse or fail.");
    command.callback([options, &session] {
        refuse_shard_without_batch(options->batch, "--batch");
        if (!options->batch.file.empty()) {
            if (!options->ns.empty() || !options->catalogs.empty() || !options->cluster.empty() ||
                options->from_cluster || !options->subscribe.empty())
                throw RequestError("--batch reads its requests from the file, not from the command line");
            answer_resolve_classic_batch(options->batch, options->images, session);
            return;
        }
        if (options->ns.empty())
            throw RequestError("--namespace is missing", "see opcat resolve classic --help");
        if (options->catalogs.empty() && options->cluster.empty() && !options->from_cluster)
            throw RequestError(
                "there is nothing to resolve: give catalogs with --catalog, and the cluster's objects with "
                "--cluster",
                "see opcat resolve classic --help");
        ResolveClassic(*options, session).run();
    });
}

} // namespace opcat
