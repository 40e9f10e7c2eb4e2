// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A step that sends and the one that receives what it sent.
struct MscclMessage
{
    MscclGlobalStep sender;
    MscclGlobalStep receiver;
};

/// Who meets whom: the k-th send of a GPU to another one on a channel and that one's k-th receive,
/// in the order of sending GPUs and thread blocks.
///
/// Throws ConfigError at the line of a thread block that shares its peer and channel with another
/// one, or has no counterpart, or other counts of messages than that has, and of a step that sends
/// another number of chunks than is received.
std::vector<MscclMessage> MatchMscclMessages(const MscclAlgorithm& algorithm);

} // namespace nadi
