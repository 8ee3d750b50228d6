#pragma once

// The user mode of qemu makes a fork of vfork, which is how posix_spawn hears that a program cannot run.
#ifdef OPCAT_EMULATED
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif
