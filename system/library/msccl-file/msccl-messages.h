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

/// All steps, each after the one before it in its thread block, after the one that it waits for,
/// and after the one whose message it receives. The order depends on the algorithm alone.
///
/// Throws ConfigError at the line of a step that waits for one that does not exist, or for itself
/// through others, so that the algorithm would never end.
std::vector<MscclGlobalStep> OrderMscclSteps(const MscclAlgorithm& algorithm,
                                             const std::vector<MscclMessage>& messages);

} // namespace nadi
