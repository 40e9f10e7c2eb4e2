// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/counted-parameters.h"
#include "workload/what-if/gradient-units.h"
#include "workload/what-if/new-stage.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/what-if/sharded-sums.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What stands for the parameters of a recorded stage.
struct StageWeights
{
    enum class Unit : uint8_t
    {
        GradientBytes, ///< that are summed in the last micro-batch
        Parameters,    ///< counted, where none are summed
        Operations,    ///< of a forward pass, where neither tells
    };

    Unit unit = Unit::GradientBytes;
    std::vector<ShardedSums> chunks; ///< of the layers of each
    ShardedSums begin;               ///< of the embedding
    ShardedSums end;                 ///< of the head

    ShardedSums Together() const;
};

StageWeights WeighStage(const RecordedStage& stage,
                        const std::optional<CountedParameters>& counted,
                        const GroupSizes& sizes);

/// What tells whether embedding and head of a single recorded stage share a matrix. Nothing where
/// sums of gradients tell, or where it has not both, with shapes.
std::optional<EndsEvidence> FindEndsEvidence(const RecordedStage& single);

/// What becomes of a matrix that embedding and head share, where the single recorded stage is cut:
/// of the last stage, which gets a copy of it. Of the first one, only the sum of both ends counts.
/// All 0 where they share none.
///
/// Throws ConfigError where that cannot be told: a head of few parameters whose shapes are unknown.
TiedMatrix FindTiedMatrix(const RecordedStage& single, const GroupSizes& sizes);

/// Where the ends become one stage again: the copy of the last stage goes. `isOfEnds`: by group of
/// the last stage's graph, whether it sums gradients of both.
TiedMatrix FindUntiedMatrix(const RecordedStage& last,
                            const std::vector<bool>& isOfEnds,
                            const GroupSizes& sizes);

/// Bytes that a stage hands on to the next for a micro-batch: what a layer gives out.
///
/// As a tensor group sums it at the end of a forward layer, else as its first product takes it in:
/// rows x inner size. `parts`: in how many the tensor group cuts the tokens.
///
/// Throws ConfigError where a layer has neither.
uint64_t FindMessageBytes(const RecordedStage& stage, const GroupSizes& sizes, uint64_t parts);

} // namespace nadi
