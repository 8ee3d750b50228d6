#pragma once

// The user mode of qemu implements vfork as fork, so posix_spawn does not report that a program cannot run.
#ifdef OPCAT_EMULATED
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif
