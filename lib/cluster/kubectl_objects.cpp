#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace opcat::cluster {
namespace {

// "subscriptions.operators.coreos.com" -> "subscriptions"
std::string_view plural(std::string_view resource) {
    return resource.substr(0, resource.find('.'));
}

// "a,b"
std::vector<std::string_view> split_kinds(std::string_view resources) {
    std::vector<std::string_view> kinds;
    while (!resources.empty()) {
        kinds.push_back(resources.substr(0, resources.find(',')));
        resources.remove_prefix(std::min(kinds.back().size() + 1, resources.size()));
    }
    return kinds;
}

std::string place(const Scope& scope) {
    if (scope.all) return " of all namespaces";
    return scope.ns.empty() ? std::string() : " of namespace " + scope.ns;
}

// "Warning: would violate PodSecurity …", without duplicates.
std::vector<std::string> warnings_in(std::string_view err) {
    constexpr std::string_view mark = "Warning: ";
    std::vector<std::string> warnings;
    while (!err.empty()) {
        std::string_view line = err.substr(0, err.find('\n'));
        err.remove_prefix(std::min(line.size() + 1, err.size()));
        if (!line.starts_with(mark)) continue;
        line.remove_prefix(mark.size());
        if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) warnings.emplace_back(line);
    }
    return warnings;
}

// kubectl's output for several objects: nothing, a single one, or a list.
std::vector<Object> objects_in(const std::string& out, const std::string& doing) {
    if (out.find_first_not_of(" \n") == out.npos) return {};
    return kube::objects_in(kube::parse_object(out, doing));
}

std::vector<Object> joined(std::vector<std::vector<Object>> lists) {
    std::vector<Object> all;
    for (std::vector<Object>& list : lists) std::move(list.begin(), list.end(), std::back_inserter(all));
    return all;
}

std::string names_of(const std::vector<Object>& objects) {
    return listed(objects, 3, &Object::describe);
}

std::vector<std::string> apply_arguments(bool force_conflicts) {
    std::vector<std::string> arguments{"apply", "--server-side",
                                       std::string("--field-manager=") + field_manager, "--filename=-"};
    if (force_conflicts) arguments.emplace_back("--force-conflicts");
    return arguments;
}

} // namespace

void Kubectl::add_scope(std::vector<std::string>& arguments, const Scope& scope) {
    if (scope.all) arguments.emplace_back("--all-namespaces");
    if (!scope.ns.empty()) {
        require_namespace(scope.ns);
        arguments.push_back("--namespace=" + scope.ns);
    }
}

std::optional<Object> Kubectl::get(std::string_view resource, const std::string& name,
                                   const Scope& scope) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"get", std::string(resource), name, "--output=json"};
    add_scope(arguments, scope);
    const std::string doing = fmt::format("read {} {}{}", plural(resource), name, place(scope));
    try {
        return kube::parse_object(call_or_throw(doing, arguments), doing);
    } catch (const KubectlError& error) {
        if (error.kind() == FailureKind::not_found || error.kind() == FailureKind::no_such_resource)
            return std::nullopt;
        throw;
    }
}

std::vector<Object> Kubectl::list_kind(std::string_view resource, const Scope& scope,
                                       const std::string& filter) const {
    // All in one answer: pieces would be asked for one after the other.
    std::vector<std::string> arguments{"get", std::string(resource), "--output=json", "--chunk-size=0"};
    add_scope(arguments, scope);
    if (!filter.empty()) arguments.push_back(filter);
    const std::string doing = fmt::format("list {}{}", plural(resource), place(scope));
    Object answer;
    try {
        answer = kube::parse_object(call_or_throw(doing, arguments), doing);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::no_such_resource) throw;
        return {};
    }
    // What is no list would be one without objects, and so would the rest of a part.
    const Value items = answer.at("items").value();
    if (!answer.kind().ends_with("List") || !(items.is_array() || items.is_null()))
        throw Error(fmt::format("cannot {}: the answer of kubectl is not a list", doing));
    if (!answer.text("metadata", "continue").empty())
        throw Error(fmt::format("cannot {}: the answer of kubectl is only a part of the list", doing));
    std::vector<Object> objects;
    for (const Value& item : answer.items("items")) objects.emplace_back(item, answer.memory);
    return objects;
}

std::vector<Object> Kubectl::list(std::string_view resources, const Scope& scope,
                                  const std::string& selector) const {
    const std::vector<std::string_view> kinds = split_kinds(resources);
    const std::string filter = selector.empty() ? std::string() : "--selector=" + selector;
    std::vector<std::vector<Object>> found(kinds.size());
    std::vector<std::function<void()>> questions;
    for (size_t i = 0; i < kinds.size(); ++i)
        questions.emplace_back([&, i] { found[i] = list_kind(kinds[i], scope, filter); });
    together(questions);
    return joined(std::move(found));
}

std::vector<Object> Kubectl::list_named(std::string_view resource, const std::string& name,
                                        const Scope& scope) const {
    require_name(plural(resource), name);
    return list_kind(resource, scope, "--field-selector=metadata.name=" + name);
}

std::vector<Object> Kubectl::list_permitted(std::string_view required, std::vector<const char*>& optional,
                                            const Scope& scope, std::vector<std::string>& unread,
                                            const std::string& selector) const {
    std::vector<std::vector<Object>> found(optional.size() + 1);
    std::vector<std::string> refusals(optional.size()); // empty: permitted
    std::vector<std::function<void()>> questions{[&] { found[0] = list(required, scope, selector); }};
    for (size_t i = 0; i < optional.size(); ++i)
        questions.emplace_back([&, i] {
            try {
                found[i + 1] = list(optional[i], scope, selector);
            } catch (const KubectlError& error) {
                if (error.kind() != FailureKind::forbidden) throw;
                refusals[i] = error.what();
            }
        });
    together(questions);
    std::vector<const char*> permitted;
    for (size_t i = 0; i < optional.size(); ++i) {
        if (refusals[i].empty())
            permitted.push_back(optional[i]);
        else
            unread.push_back(std::move(refusals[i]));
    }
    optional = std::move(permitted);
    return joined(std::move(found));
}

std::vector<std::string> Kubectl::apply(const std::vector<Object>& objects, bool force_conflicts) const {
    if (objects.empty()) return {};
    return warnings_in(result_or_throw("apply " + names_of(objects), apply_arguments(force_conflicts),
                                       kube::to_text(objects))
                           .err);
}

void Kubectl::try_apply(const std::vector<Object>& objects, bool force_conflicts) const {
    if (objects.empty()) return;
    std::vector<std::string> arguments = apply_arguments(force_conflicts);
    arguments.emplace_back("--dry-run=server");
    call_or_throw("apply " + names_of(objects), arguments, kube::to_text(objects));
}

std::vector<bool> Kubectl::allowed(const std::vector<Object>& reviews) const {
    if (reviews.empty()) return {};
    const std::string doing = "ask who has which rights";
    const std::vector<std::string> outputs = in_parts(reviews, [&](const std::vector<Object>& part) {
        return call_or_throw(
            doing,
            {"create", "--filename=-", "--validate=false", "--output=jsonpath={.status.allowed}{\"\\n\"}"},
            kube::to_text(part));
    });
    std::vector<bool> allowed;
    for (const std::string& out : outputs)
        for (std::string_view rest = out; !rest.empty();) {
            const size_t end = std::min(rest.find('\n'), rest.size());
            allowed.push_back(rest.substr(0, end) == "true");
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    if (allowed.size() != reviews.size())
        throw KubectlError(doing, {.kind = FailureKind::other, .message = "the answer is not complete"});
    return allowed;
}

std::vector<Object> Kubectl::reviewed(const std::vector<Object>& reviews) const {
    return objects_in_parts(reviews, "ask who has which rights",
                            {"create", "--filename=-", "--validate=false", "--output=json"});
}

std::vector<Object> Kubectl::applied(const std::vector<Object>& objects) const {
    const std::string doing = "try to apply " + names_of(objects);
    std::vector<std::string> arguments = apply_arguments(true);
    arguments.insert(arguments.end(), {"--dry-run=server", "--output=json"});
    return objects_in_parts(objects, doing, arguments);
}

std::vector<Object> Kubectl::existing(const std::vector<Object>& objects) const {
    if (objects.empty()) return {};
    const std::string doing = "read " + names_of(objects);
    std::vector<Object> asked = objects;
    std::vector<Object> found;
    // A bundle may own dozens: then one list of all is sooner there than they are one after the other.
    if (std::count_if(objects.begin(), objects.end(), is_crd) > options_.calls_at_once) {
        try {
            found = list(resource::crds);
            std::erase_if(asked, is_crd);
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw; // who may not list may read single ones
        }
    }
    const std::vector<std::string> arguments{"get", "--filename=-", "--ignore-not-found", "--output=json"};
    for (Object& object : objects_in_parts(asked, doing, arguments)) found.push_back(std::move(object));
    // In the order of the question.
    std::vector<Object> ordered;
    for (const Object& object : objects)
        if (const Object* const same = kube::find_same(found, object)) ordered.push_back(*same);
    return ordered;
}

std::vector<std::string> Kubectl::kinds_in_namespaces() const {
    const std::string out =
        call_or_throw("ask which kinds of objects there are",
                      {"api-resources", "--namespaced=true", "--verbs=list,delete", "--output=name"});
    std::vector<std::string> kinds;
    for (const std::string_view line : lines_of(out))
        if (!line.empty()) kinds.emplace_back(line);
    return kinds;
}

std::vector<Object> Kubectl::objects_in_parts(const std::vector<Object>& objects, const std::string& doing,
                                              const std::vector<std::string>& arguments) const {
    std::vector<Object> found;
    for (const std::string& out : in_parts(objects, [&](const std::vector<Object>& part) {
             return call_or_throw(doing, arguments, kube::to_text(part));
         }))
        for (Object& object : objects_in(out, doing)) found.push_back(std::move(object));
    return found;
}

// kubectl asks about one object after the other, so each part is a process of its own.
std::vector<std::string>
Kubectl::in_parts(const std::vector<Object>& objects,
                  const std::function<std::string(const std::vector<Object>& part)>& call) const {
    std::vector<std::string> outputs(std::min<size_t>(objects.size(), options_.calls_at_once));
    std::vector<std::function<void()>> questions;
    for (size_t i = 0; i < outputs.size(); ++i)
        questions.emplace_back([&, i] {
            const auto at = [&](size_t part) {
                return objects.begin() + static_cast<ptrdiff_t>(objects.size() * part / outputs.size());
            };
            outputs[i] = call({at(i), at(i + 1)});
        });
    together(questions);
    return outputs;
}

void Kubectl::remove_objects(const std::vector<Object>& objects) const {
    if (objects.empty()) return;
    call_or_throw("delete " + names_of(objects),
                  {"delete", "--filename=-", "--ignore-not-found", "--wait=false"}, kube::to_text(objects));
}

void Kubectl::patch(std::string_view resource, const std::string& name, const Scope& scope,
                    const Value& patch) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"patch",
                                       std::string(resource),
                                       name,
                                       "--type=merge",
                                       "--patch=" + kube::to_text(patch),
                                       std::string("--field-manager=") + field_manager};
    add_scope(arguments, scope);
    call_or_throw(fmt::format("change {} {}{}", plural(resource), name, place(scope)), arguments);
}

void Kubectl::remove(std::string_view resource, const std::string& name, const Scope& scope) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"delete", std::string(resource), name, "--wait=false",
                                       "--ignore-not-found"};
    add_scope(arguments, scope);
    call_or_throw(fmt::format("delete {} {}{}", plural(resource), name, place(scope)), arguments);
}

void require_name(std::string_view what, const std::string& name) {
    if (!kube::is_object_name(name))
        throw RequestError(fmt::format("\"{}\" cannot be the name of one of the {}", name, what),
                           "names have lower-case letters, digits, '-' and '.'");
}

void require_namespace(const std::string& name) {
    if (!kube::is_namespace_name(name))
        throw RequestError(fmt::format("\"{}\" cannot be the name of a namespace", name),
                           "names have lower-case letters, digits and '-', at most 63 characters");
}

} // namespace opcat::cluster
