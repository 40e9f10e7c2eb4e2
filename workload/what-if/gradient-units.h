// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/recorded-stage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// How many gradients kernels make.
struct GradientCount
{
    uint64_t matrices = 0;   ///< parameters of the matrices whose gradients they are
    uint64_t columns = 0;    ///< of these matrices, each of which may have a bias
    uint64_t parameters = 0; ///< all of them
};

/// Gradients that are there together in the last micro-batch: of a layer, the head or the
/// embedding.
struct GradientUnit
{
    enum class Kind : uint8_t
    {
        Layer,
        Head,
        Embedding,
    };

    Kind kind = Kind::Layer;
    uint32_t chunk = 0;            ///< of the pass
    uint32_t position = 0;         ///< of a layer in the pass: 0 is the last layer of the chunk
    std::vector<uint32_t> kernels; ///< that make them, in order
    GradientCount dense;           ///< of what is not of experts
    GradientCount experts;

    uint64_t All() const
    {
        return dense.parameters + experts.parameters;
    }
};

/// Of a rank that sums none: what the optimizer, or a sum of a tied matrix, waits for in the last
/// micro-batch. In the order of the last kernel of each.
///
/// Throws ConfigError where it waits for forward passes, and where a kernel that makes gradients of
/// a layer has no shapes.
std::vector<GradientUnit> FindGradientUnits(const RecordedStage& stage);

/// Throws ConfigError where the optimizer waits for other micro-batches than the last: it is
/// unknown when copies would sum the gradients of these.
void CheckAwaitsLastAlone(const RecordedStage& stage);

/// Backward, of a part of a pass.
GradientUnit::Kind GradientKindOf(PassSlot::Part part);

/// What the gradients are of: what the names of their kernels begin with.
std::string NameOfGradients(const ExecutionGraph& graph, const GradientUnit& unit);

/// Parameters that kernels of the optimizer update. Throws ConfigError where they do not say.
uint64_t CountUpdated(const RecordedStage& stage);

} // namespace nadi
