// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include <cstdint>
#include <type_traits>

namespace ns3
{

/// \ingroup fabric
/// What a frame is for.
enum class FabricFrameKind : uint8_t
{
    Data,
    Acknowledgement,
};

/// \ingroup fabric
/// Strict priorities of an output port; the lower number goes first.
enum class FabricPriority : uint8_t
{
    Control = 0,
    Data = 1,
};

/// \ingroup fabric
/// Whether a data frame ends its message.
enum class FabricFramePosition : uint8_t
{
    Inner,
    LastOfMessage,
};

/// \ingroup fabric
/// One frame on its way: a plain value that is copied from port to port.
///
/// Everything that all frames of a flow share (ends, paths) is in its FabricFlow.
struct FabricFrame
{
    /// Data: the number of the frame in its queue pair, from 0.
    /// Acknowledgement: how many data frames of the queue pair have arrived.
    uint64_t sequence = 0;
    uint32_t flow = 0;      ///< index of the flow record
    uint32_t wireBytes = 0; ///< at least 1, so that every transmission takes time
    uint16_t hop = 0;       ///< links travelled so far
    uint16_t ingress = 0;   ///< port of the present node by which it (or its cause) came
    FabricFrameKind kind = FabricFrameKind::Data;
    FabricPriority priority = FabricPriority::Data;
    FabricFramePosition position = FabricFramePosition::Inner;
};

static_assert(sizeof(FabricFrame) <= 32 && std::is_trivially_copyable<FabricFrame>::value,
              "frames are copied at every hop");

} // namespace ns3

#endif /* FABRIC_FRAME_H */
