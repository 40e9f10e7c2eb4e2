// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"

namespace nadi
{

/// What a load balancer can do with the frames of a message that is alone.
enum class FrameSpread : uint8_t
{
    OneWay,       ///< all frames take one way: that of ECMP
    WithoutGain,  ///< each frame may take another way, and the message takes the time of one way
    Unpredictable ///< its time depends on how its frames are spread
};

/// Of messages between two NPUs, switches or memories, while no link has failed. `route`: the way
/// that ECMP gives them, whose first link they take in any case.
///
/// Spreading gains nothing where all ways have the same links, one after the other, and the slowest
/// of these are shared by all ways: behind such a link the frames come one by one, and none waits
/// for another on links that are as fast.
FrameSpread FindFrameSpread(const std::vector<LinkId>& route, const RunInput& input);

} // namespace nadi
