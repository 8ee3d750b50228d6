// Predicts what an API server answers when it is asked to create an object of a bundle, as far as the object
// alone decides: names, labels, the fields of the kinds that bundles hold, structural schemas. Rules of
// Kubernetes 1.36 (pkg/apis/*/validation, apiextensions-apiserver), in its words. What is not checked here:
// CEL rules, quotas, policies and webhooks of a cluster.
#pragma once

#include "opcat/admission/refusal.hpp"
#include "opcat/go/type.hpp"
#include "opcat/kube/object.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::admission {

// For an object of a kind that bundles hold; of another kind, only its metadata is checked. A value of the
// wrong type is the first and only refusal of the object, with an empty field. `of_any_group`: clients of Go
// that know the kind read it whatever the apiVersion says.
std::vector<Refusal> refusals(const kube::Object& object, bool of_any_group = false);

// The type with all fields of the object's kind, if it is a kind of Kubernetes that bundles hold; nullptr: it
// is not known.
const go::Type* type_of(const kube::Object& object);

// The whole message about some refusals.
std::string refusal_message(const kube::Object& object, const std::vector<Refusal>& refusals);

// The name with which a kind appears in messages: "Deployment.apps".
std::string qualified_kind(std::string_view kind, std::string_view group);

// Parts of a ClusterServiceVersion, from which OLM makes objects.

// A Deployment. `name` and `labels` may be "nothing".
std::vector<Refusal> deployment_refusals(const kube::Fields& name, const kube::Fields& labels,
                                         const kube::Fields& spec);
// The rules of a Role (`in_namespace`) or ClusterRole.
std::vector<Refusal> rule_refusals(std::span<const Value> rules, bool in_namespace);
// A webhook of a configuration, from its description in a ClusterServiceVersion, with the name `name`.
std::vector<Refusal> webhook_refusals(const kube::Fields& description, std::string_view name);
// The schemas of a CustomResourceDefinition of apiextensions.k8s.io/v1.
std::vector<Refusal> schema_refusals(const kube::Fields& crd);

// The name of an object of a kind.
std::vector<std::string> name_errors(std::string_view kind, std::string_view name);

} // namespace opcat::admission
