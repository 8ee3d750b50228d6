// The plan as a timeline, to be printed or sent: one file without scripts.
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/planning/report.hpp"
#include "plan_page.hpp"

#include <fmt/core.h>

namespace opcat::planning {
namespace {

std::string html_text(std::string_view text) {
    return escape_html(escape_controls(text));
}

std::string html_steps(const ClusterPlan& plan, size_t at, const std::vector<std::vector<StepRef>>& groups) {
    std::string out = "<ol>";
    for (const std::vector<StepRef>& group : groups)
        for (const StepRef& ref : group) {
            const OperatorPlan& one = *plan.operators[ref.operator_index];
            const PlanStep& step = one.stops[at].steps[ref.step];
            out += fmt::format("<li class=\"{}\"><b>{}</b>: {}<br><span class=\"who\">{}{}</span>",
                               step.by_itself ? "itself" : "hand", html_text(title_of(one.installed)),
                               html_text(describe(step, one.installed)), who_does(step, one.installed),
                               group.size() > 1 ? ", in one resolution with others of its namespace" : "");
            if (!step.reasons.empty())
                out += fmt::format("<br><span class=\"why\">{}</span>", html_text(listed(step.reasons)));
            out += "</li>";
        }
    return out + "</ol>";
}

std::string html_obstacles(const ClusterPlan& plan, size_t at) {
    std::string out;
    for (const auto& one : plan.operators)
        if (at < one->stops.size())
            for (const Obstacle& obstacle : one->stops[at].obstacles)
                out += fmt::format("<p class=\"obstacle{}\"><b>{}</b>: {}</p>",
                                   at + 1 == one->stops.size() ? " stays" : "",
                                   html_text(title_of(one->installed)), html_text(obstacle.text));
    return out;
}

std::string html_ends(const ClusterPlan& plan) {
    std::string out;
    for (const Verdict verdict : {Verdict::blocked, Verdict::unknown}) {
        if (plan.count(verdict) == 0) continue;
        out += verdict == Verdict::blocked ? "<section class=\"none\" id=\"blocked\"><h2>No way</h2>"
                                           : "<section class=\"none\" id=\"unknown\"><h2>Not known</h2>";
        for (const auto& one : plan.operators) {
            if (one->verdict != verdict) continue;
            out +=
                verdict == Verdict::blocked
                    ? fmt::format("<p><b>{}</b>: {}<br>Way out: {}</p>", html_text(title_of(one->installed)),
                                  html_text(one->blocked.text), html_text(one->way_out))
                    : fmt::format("<p><b>{}</b>: {}</p>", html_text(title_of(one->installed)),
                                  html_text(one->unknown));
        }
        out += "</section>";
    }
    return out;
}

} // namespace

std::string plan_as_html(const ClusterPlan& plan, const ReportHeader& header) {
    const std::string title = fmt::format("OpenShift {} to {}", html_text(header.from), html_text(header.to));
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">"
        "<title>{0}</title><style>{1}</style></head><body><h1>{0}</h1><p class=\"verdict {2}\">{3}</p>",
        title, embedded::plan_css, to_string(plan.verdict), html_text(summary(plan)));
    out += html_ends(plan) + "<main>";
    for (size_t at = 0; at < plan.stops.size(); ++at) {
        const ClusterStop& stop = plan.order[at];
        const bool is_last = at + 1 == plan.stops.size();
        out +=
            fmt::format("<section class=\"stop\"><h2>OpenShift {}{}</h2>",
                        html_text(stop.version.to_string()), plan.stops[at].passing ? " (only passed)" : "");
        if (!stop.after.empty()) out += "<h3>After the upgrade</h3>" + html_steps(plan, at, stop.after);
        if (!stop.before.empty())
            out +=
                fmt::format("<h3>{}</h3>", is_last ? std::string("Then")
                                                   : "Before OpenShift " +
                                                         html_text(plan.stops[at + 1].version.to_string())) +
                html_steps(plan, at, stop.before);
        if (stop.after.empty() && stop.before.empty())
            out += plan.verdict == Verdict::ok ? "<p>Nothing to do.</p>" : "<p>Nothing is known.</p>";
        out += html_obstacles(plan, at) + "</section>";
    }
    out += "</main>";
    const std::vector<PlanWarning> warnings = warnings_of(plan);
    if (!warnings.empty()) out += "<section id=\"warnings\"><h2>Warnings</h2><ul>";
    for (const PlanWarning& warning : warnings)
        out += fmt::format("<li><b>{}</b>: {}</li>",
                           html_text(title_of(plan.operators[warning.operator_index]->installed)),
                           html_text(warning.text));
    if (!warnings.empty()) out += "</ul></section>";
    return out + fmt::format("<footer>Support counts on {}.</footer></body></html>\n", date_text(header.at));
}

} // namespace opcat::planning
