// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Over which ranks a text workload's layers communicate.
enum class TextPolicy : uint8_t
{
    Micro,
    Data,
    Model,
    DataModel,   ///< model parallel over the first dimension, data parallel over the others
    ModelData,   ///< the other way round
    Dlrm,        ///< data parallel, but for the first layer, the embedding
    Transformer, ///< model parallel in blocks of ranks, data parallel across them
    Inference,   ///< model parallel, forward only
    Customized,  ///< of a file: each layer has a policy of its own
};

/// One of the three parts of a layer: its kernel, then its collective. What waits for the
/// collective waits for the time `update` more, in which the NPU is free.
struct TextPass
{
    SimTime compute;
    std::optional<CollectiveType> collective; ///< nothing: NONE
    uint64_t bytes = 0; ///< as the file says them (TextFile::saysGatheredSizes)
    SimTime update;
};

struct TextLayer
{
    std::string name;
    TextPass forward;
    TextPass inputGradient;
    TextPass weightGradient;
    TextPolicy policy = TextPolicy::Data;
};

/// A workload of ASTRA-sim 1.0 as text. The first line is the policy with its settings, the second
/// the number of layers; then each layer is a line of 12 columns: name, reserved, and for forward,
/// input gradient and weight gradient each the compute time, the collective and its bytes; and the
/// time of the update, which is that of all three. Times are cycles of 1 ns.
struct TextFile
{
    TextPolicy policy = TextPolicy::Data;
    std::vector<TextLayer> layers;
    std::optional<uint32_t> ranks;  ///< of the job, where SimAI's dialect says it
    bool saysGatheredSizes = false; ///< SimAI: of an all-gather, what each rank has afterwards
    uint32_t modelRanks = 0;        ///< of a block, with policy Transformer
    uint32_t lastBottomLayer = 0;   ///< with policy Dlrm: the last before the embedding is needed
    bool awaitsExchange = true;     ///< a step ends with the embedding's; not HYBRID_DLRM_ENHANCED
    bool repeatsForward = false;    ///< HYBRID_TRANSFORMER_FWD_IN_BCKWD
    std::vector<uint32_t> checkpoints; ///< layers whose input is kept, ascending
    std::vector<uint32_t> initiators;  ///< layers before whose backward pass forward is repeated
};

/// Throws ConfigError with the file and line as its place.
TextFile ReadTextFile(const std::string& path);

/// The same of a text; `name` stands in errors.
TextFile ParseTextFile(const std::string& text, const std::string& name);

} // namespace nadi
