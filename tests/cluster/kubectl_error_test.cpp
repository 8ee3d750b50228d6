#include "opcat/cluster/kubectl.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat::cluster;

TEST_CASE("the kind of a failure is found in kubectl's words") {
    struct Case {
        const char* err;
        FailureKind kind;
    };
    const Case cases[] = {
        {"Error from server (NotFound): pods \"x\" not found\n", FailureKind::not_found},
        {"Error from server (AlreadyExists): namespaces \"x\" already exists\n", FailureKind::already_exists},
        {"Error from server (Conflict): Operation cannot be fulfilled on x: the object has been modified\n",
         FailureKind::conflict},
        {"Error from server (BadRequest): error when creating \"STDIN\": Subscription in version "
         "\"v1alpha1\" "
         "cannot be handled as a Subscription: strict decoding error: unknown field \"spec.chanel\"\n",
         FailureKind::invalid},
        {"The Subscription \"x\" is invalid: spec.name: Required value\n", FailureKind::invalid},
        {"error: Apply failed with 1 conflict: conflict with \"alpha\": .data.a\nPlease review the fields "
         "above\n",
         FailureKind::conflict},
        {"error: the server doesn't have a resource type \"subscriptions\"\n", FailureKind::no_such_resource},
        {"error: resource mapping not found for name: \"w\" namespace: \"n\" from \"STDIN\": no matches for "
         "kind \"X\" in version \"g/v\"\nensure CRDs are installed first\n",
         FailureKind::no_such_resource},
        {"error: You must be logged in to the server (Unauthorized)\n", FailureKind::unauthorized},
        {"E0101 10:00:00.000000   12 memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server "
         "API group list: Get\"\nThe connection to the server 127.0.0.1:16999 was refused - did you specify "
         "the right host or port?\n",
         FailureKind::unreachable},
        {"Unable to connect to the server: dial tcp: lookup nowhere.invalid: no such host\n",
         FailureKind::unreachable},
        {"Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by "
         "unknown authority\n",
         FailureKind::unreachable},
        {"Unable to connect to the server: getting credentials: exec: executable no-such-plugin not found\n",
         FailureKind::configuration},
        {"Error in configuration: context was not found for specified context: nope\n",
         FailureKind::configuration},
        {"error: context \"nope\" does not exist\n", FailureKind::configuration},
        {"error: stat /nowhere: no such file or directory\n", FailureKind::configuration},
        {"error: timed out waiting for the condition on configmaps/stuck\n", FailureKind::timeout},
        {"Error from server (InternalError): an error on the server (\"\") has prevented the request from "
         "succeeding\n",
         FailureKind::server},
        {"Error from server (TooManyRequests): the server has received too many requests and has asked us to "
         "try again later\n",
         FailureKind::server},
        {"Error from server (ServiceUnavailable): the server is currently unable to handle the request\n",
         FailureKind::server},
        {"Error from server (Timeout): the server was unable to return a response in the time allotted\n",
         FailureKind::timeout},
        {"Error from server (Forbidden): error when creating \"STDIN\": configmaps \"a\" is forbidden: "
         "unable "
         "to create new content in namespace shop because it is being terminated\n",
         FailureKind::terminating},
        // A reason that is not known: the rest may say more.
        {"Error from server (Unknown): the object has been modified\n", FailureKind::conflict},
        // The API server's own connections, to webhooks.
        {"Error from server: conversion webhook for g/v1, Kind=X failed: Post \"https://w.n.svc:443/c\": "
         "dial "
         "tcp 10.0.0.1:443: connect: connection refused\n",
         FailureKind::server},
        {"Error from server: conversion webhook for g/v1, Kind=X failed: Post \"https://w.n.svc:443/c\": "
         "context deadline exceeded\n",
         FailureKind::server},
        {"Error from server (Teapot): it is short and stout\n", FailureKind::server},
        // The server came back while kubectl was applying several objects.
        {"The connection to the server a:1 was refused - did you specify the right host or port?\n"
         "Error from server (NotFound): namespaces \"greet\" not found\n",
         FailureKind::unreachable},
        {"Error from server (NotFound): namespaces \"greet\" not found\n"
         "Unable to connect to the server: EOF\n",
         FailureKind::unreachable},
        {"", FailureKind::other},
    };
    for (const Case& c : cases) {
        CAPTURE(c.err);
        CHECK(classify(c.err).kind == c.kind);
    }
}

TEST_CASE("a forbidden call says which right is missing") {
    const Failure failure = classify(
        "Error from server (Forbidden): error when retrieving current configuration of:\n"
        "Resource: \"operators.coreos.com/v1alpha1, Resource=subscriptions\", GroupVersionKind: \"x\"\n"
        "Name: \"x\", Namespace: \"forbidden\"\n"
        "from server for: \"STDIN\": subscriptions.operators.coreos.com \"x\" is forbidden: User \"alice\" "
        "cannot get resource \"subscriptions\" in API group \"operators.coreos.com\" in the namespace "
        "\"forbidden\"\n");
    CHECK(failure.kind == FailureKind::forbidden);
    CHECK(words_for(failure) ==
          "user alice may not get subscriptions.operators.coreos.com in namespace forbidden");

    const Failure cluster_wide =
        classify("Error from server (Forbidden): namespaces is forbidden: User \"alice\" cannot create "
                 "resource \"namespaces\" in API group \"\" at the cluster scope\n");
    CHECK(words_for(cluster_wide) == "user alice may not create namespaces in the whole cluster");
}

TEST_CASE("the words for a failure say who does what") {
    CHECK(words_for({.kind = FailureKind::timeout, .message = "m"}) ==
          "the cluster did not answer in time: m");
    CHECK(words_for(
              classify("Error from server (Forbidden): error when creating \"STDIN\": configmaps \"a\" is "
                       "forbidden: unable to create new content in namespace shop because it is being "
                       "terminated\n")) == "namespace shop is being deleted");
    CHECK(words_for({.kind = FailureKind::unreachable, .message = "m"}) ==
          "the cluster cannot be reached: m");
    CHECK(words_for({.kind = FailureKind::configuration, .message = "m"}) ==
          "the kubeconfig cannot be used: m");
}

TEST_CASE("noise around the cause is dropped") {
    CHECK(classify("The connection to the server a:1 was refused\n"
                   "Error from server (NotFound): namespaces \"greet\" not found\n")
              .message == "The connection to the server a:1 was refused");
    CHECK(classify("E0101 10:00:00.000000   12 memcache.go:265] \"Unhandled Error\"\n"
                   "E0101 10:00:00.000000   12 memcache.go:265] \"Unhandled Error\"\n"
                   "The connection to the server a:1 was refused - did you specify the right host or port?\n")
              .message ==
          "The connection to the server a:1 was refused - did you specify the right host or port?");
    CHECK(classify("Warning: something old\nThe X \"n\" is invalid: \n* a: Required value\n* <nil>: Invalid "
                   "value: null: some validation rules were not checked because the object was invalid; "
                   "correct the existing errors to complete validation\n")
              .message == "The X \"n\" is invalid: \n* a: Required value");
    // Advice that is wrong here.
    const Failure openapi =
        classify("error: error validating \"STDIN\": error validating data: failed to download openapi: Get "
                 "\"https://127.0.0.1:1/openapi/v2\": dial tcp 127.0.0.1:1: connect: connection refused; if "
                 "you choose "
                 "to ignore these errors, turn validation off with --validate=false\n");
    CHECK(openapi.kind == FailureKind::unreachable);
    CHECK(openapi.message.find("--validate") == std::string::npos);
    // A broken connection does not make an object invalid.
    const Failure broken =
        classify("error: error validating \"STDIN\": error validating data: Get "
                 "\"https://127.0.0.1:1/openapi/v2?timeout=32s\": EOF; if you choose to ignore these "
                 "errors, turn validation off with --validate=false\n");
    CHECK(broken.kind == FailureKind::unreachable);
    CHECK(broken.message == "Get \"https://127.0.0.1:1/openapi/v2?timeout=32s\": EOF");
    CHECK(classify("error when deleting \"STDIN\": Delete \"https://127.0.0.1:1/api/v1/namespaces/a\": EOF\n")
              .kind == FailureKind::unreachable);
}
