// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/product-bytes.h"
#include "workload/what-if/shapes/task-meaning.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What the sizes in a recording of a transformer mean.
struct ShapeReading
{
    ShapeSizes whole;                         ///< of the model; its degrees are those of the job
    std::vector<uint32_t> placeOfRank;        ///< in its tensor group, by rank
    std::vector<ShapeSizes> parts;            ///< what ranks hold of the model, by place
    std::map<uint32_t, RankMeaning> jobs;     ///< by index of a graph
    ParameterRules rules;                     ///< of parameters: the first that explains them
    std::vector<ParameterRules> alternatives; ///< all that do
    ByteCounting byteCounting;                ///< of all products
    std::vector<std::string> notes;           ///< what was assumed, sentences

    const ShapeSizes& PartOf(uint32_t rank) const
    {
        return parts[placeOfRank[rank]];
    }
};

/// Reads it from the places of tasks (RankReader), and checks that every kernel of a block, every
/// collective and every message has the size that this gives it. What ranks hold of the model
/// is what CutSizes gives them. The parameters of blocks beyond their matrices follow one rule
/// (ListParameterRules), the first that explains all sums, gathers and optimizers.
///
/// Throws ConfigError at `wish`, "what-if: hidden", for what does not fit, with the task. Requires:
/// `structure` was found in `job`.
ShapeReading
ReadShapes(const Workload& job, const JobStructure& structure, const std::string& wish);

/// How often the count of an amount is in the size of a task: bytes of each number. Nothing: the
/// size is no such multiple.
std::optional<uint64_t> FindFactor(const Amount& amount,
                                   const ExecutionNode& node,
                                   const ShapeSizes& part,
                                   const ParameterRules& rules);

} // namespace nadi
