// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// One call of PyTorch's distributed package, as far as a recording tells of it. Host traces tell
/// of it in the inputs of `record_param_comms`, Kineto traces in the arguments of that operator and
/// of the kernel. What is absent is unknown.
struct PytorchCall
{
    enum class Kind : uint8_t
    {
        Unknown,
        Collective,
        Send,
        Receive,
        Wait, ///< the current stream waits for an earlier call
    };

    Kind kind = Kind::Unknown;
    std::optional<CollectiveType> type = {}; ///< of a collective
    std::optional<uint64_t> inputBytes = {};
    std::optional<uint64_t> outputBytes = {};
    std::vector<int64_t> inputSplits = {}; ///< elements for each member; empty: equal parts
    std::vector<int64_t> outputSplits = {};
    std::optional<std::string> group = {}; ///< the name of the process group
    std::vector<uint32_t> ranks = {};      ///< of the group, in its order; empty: unknown
    std::optional<uint32_t> groupSize = {};
    /// The root of a collective, or the other side of a send or receive: its place in the group...
    std::optional<uint32_t> partnerPlace = {};
    std::optional<uint32_t> partnerRank = {}; ///< ... and its global rank
    std::optional<int64_t> request = {};      ///< pairs a call with its wait

    /// Takes over from `other` what this does not know.
    void Complete(const PytorchCall& other);

    /// comm_size: the bytes that the rank puts in; what one rank receives, for a receive and a
    /// scatter (see CollectiveType). Absent where the recording does not tell.
    std::optional<uint64_t> FindSize() const;
};

/// A call with the kind, type and partner that its name says: "allreduce", "_allgather_base",
/// "nccl:all_to_all", "c10d::broadcast_", "nccl:send 0->1", "wait". Kind Unknown for other names.
PytorchCall ParseCallName(std::string_view name);

/// Whether a kernel is of NCCL, RCCL or HCCL.
bool IsCommunicationKernel(std::string_view kernel);

/// The call that a kernel of such a library names, as in "ncclDevKernel_AllReduce_Sum_f16_RING_LL".
/// Kind Unknown for kernels of any call, such as ncclDevKernel_Generic, and for SendRecv, which
/// carries sends, receives and all-to-alls.
PytorchCall ParseKernelName(std::string_view kernel);

/// Bytes of an element: "Float", "float", "c10::Half", "BFloat16", "Long", "long int", ...
std::optional<uint64_t> FindElementBytes(std::string_view type);

} // namespace nadi
