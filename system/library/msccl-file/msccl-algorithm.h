// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The buffers of a GPU.
enum class MscclBuffer : uint8_t
{
    Input,
    Output,
    Scratch,
};

/// Where in a GPU's buffers a step works.
struct MscclPlace
{
    MscclBuffer buffer = MscclBuffer::Input;
    uint32_t chunk = 0; ///< the first one
};

/// What a step does. Fused actions send once the whole of what they receive has come.
enum class MscclAction : uint8_t
{
    Send,                  ///< s: sends the source
    Receive,               ///< r: receives into the destination
    ReceiveCopySend,       ///< rcs: receives into the destination, then sends it
    ReceiveReduceCopy,     ///< rrc: adds the source to what it receives; into the destination
    ReceiveReduceSend,     ///< rrs: adds the source to what it receives; sends it, stores nothing
    ReceiveReduceCopySend, ///< rrcs: adds the source; into the destination; sends it
    Copy,                  ///< cpy: copies the source to the destination
    Reduce,                ///< re: adds the source to the destination
    Nothing,               ///< nop: waits only
};

bool Sends(MscclAction action);
bool Receives(MscclAction action);
/// Whether it adds two operands on the GPU itself.
bool Reduces(MscclAction action);
bool HasSource(MscclAction action);
bool HasDestination(MscclAction action);

/// Which step of a GPU.
struct MscclStepId
{
    uint32_t block = 0;
    uint32_t step = 0;

    auto operator<=>(const MscclStepId&) const = default;
};

/// Which step of an algorithm.
struct MscclGlobalStep
{
    uint32_t gpu = 0;
    MscclStepId step;
};

struct MscclStep
{
    MscclAction action = MscclAction::Nothing;
    MscclPlace source;                   ///< meaningful if HasSource(action)
    MscclPlace destination;              ///< meaningful if HasDestination(action)
    uint32_t count = 1;                  ///< chunks
    std::optional<MscclStepId> waitsFor; ///< of the same GPU
    uint32_t line = 0;                   ///< of the file
};

/// Steps that run one after the other. The thread blocks of a GPU run side by side, all of them at
/// any time.
struct MscclThreadBlock
{
    std::optional<uint32_t> sendPeer; ///< the GPU that its steps send to
    std::optional<uint32_t> receivePeer;
    uint32_t channel = 0;
    std::vector<MscclStep> steps;
    uint32_t line = 0; ///< of the file
};

struct MscclGpu
{
    /// Of its buffers, by MscclBuffer. A buffer that shares its memory with another one, since the
    /// algorithm is in place, has its whole size here.
    std::array<uint32_t, 3> chunks{};
    std::vector<MscclThreadBlock> blocks;
};

/// A collective algorithm: what each thread block of each GPU does.
///
/// Holds, if ParseMscclAlgorithm made it: steps stay inside the buffers; a thread block that sends
/// or receives has a peer, which is another GPU of the algorithm; no two thread blocks of a GPU
/// send to, or receive from, the same peer on one channel; the k-th send of a thread block meets
/// the k-th receive of the block at the other end, and both have the same number of chunks; no
/// step waits for itself through others.
struct MscclAlgorithm
{
    std::string source; ///< the file, for messages
    std::string name;
    std::optional<CollectiveType> collective; ///< absent: custom
    std::string protocol;                     ///< Simple, LL or LL128
    uint32_t channels = 1;
    /// Into how many the collective's buffer is cut: what an all-reduce reduces, what an all-gather
    /// leaves on each rank, what a reduce-scatter starts from.
    uint32_t chunks = 1;
    /// Input and output share their memory: in an all-reduce chunk j of both is one; chunk j of an
    /// all-gather's input is chunk r * inputs + j of the output of rank r, likewise a
    /// reduce-scatter's output in its input.
    bool isInPlace = false;
    uint64_t leastBytes = 0;         ///< of the buffer, for which it is meant
    uint64_t mostBytes = UINT64_MAX; ///< likewise
    std::vector<MscclGpu> gpus;

    /// "file:line".
    std::string Where(uint32_t line) const
    {
        return source + ":" + std::to_string(line);
    }

    /// Requires: it has such a step.
    const MscclStep& StepAt(const MscclGlobalStep& step) const
    {
        return gpus[step.gpu].blocks[step.step.block].steps[step.step.step];
    }
};

} // namespace nadi
