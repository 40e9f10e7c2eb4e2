// SPDX-License-Identifier: GPL-2.0-only
// Nothing but the headers that CMake precompiles, once, for the sources of all test programs.
