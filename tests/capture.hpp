// Before version 16, clang does not support structured bindings in lambdas, and doctest's CAPTURE is a
// lambda. This version captures a reference to the shown value. opcat_test (cmake/OpcatLibrary.cmake)
// includes this file into tests that such a clang compiles.
#pragma once

#include <doctest/doctest.h>

#define OPCAT_CAPTURE(name, x)                                                                               \
    const auto& name = x;                                                                                    \
    DOCTEST_INFO(#x " := ", name)
#undef CAPTURE
#define CAPTURE(x) OPCAT_CAPTURE(DOCTEST_ANONYMOUS(CAPTURED_), x)
