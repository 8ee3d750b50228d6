// clang before version 16 does not let lambdas use structured bindings, and doctest's CAPTURE is a lambda.
// Here it captures a reference to what it shows. opcat_test (cmake/OpcatLibrary.cmake) includes this file
// into tests that such a clang compiles.
#pragma once

#include <doctest/doctest.h>

#define OPCAT_CAPTURE(name, x)                                                                               \
    const auto& name = x;                                                                                    \
    DOCTEST_INFO(#x " := ", name)
#undef CAPTURE
#define CAPTURE(x) OPCAT_CAPTURE(DOCTEST_ANONYMOUS(CAPTURED_), x)
