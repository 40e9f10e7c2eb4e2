// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"

#include <string>

namespace nadi
{

/// Reads a collective algorithm as MSCCL's tools write it: one XML element `algo` with a `gpu` for
/// each GPU, those with a `tb` for each thread block, those with a `step` for each step. The tools'
/// second form is read too: it calls a step `op`, its number `step`, and has one place for a step,
/// `buf` and `off`, which is then source and destination.
///
/// Throws ConfigError with `source` and the line, for all that breaks what MscclAlgorithm holds.
MscclAlgorithm ParseMscclAlgorithm(const std::string& text, const std::string& source);

/// ParseMscclAlgorithm of a file.
MscclAlgorithm ReadMscclAlgorithm(const std::string& path);

} // namespace nadi
