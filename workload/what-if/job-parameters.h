// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/gradient-units.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// What one stage tells of its parameters.
struct StageParameters
{
    std::vector<GradientUnit> units;
    uint64_t updated = 0; ///< by its optimizer
    uint64_t layers = 0;  ///< how many units are layers
    uint64_t ofLayers = 0;
    uint64_t columns = 0;                          ///< of matrices of layers
    std::optional<uint64_t> ofHead = std::nullopt; ///< nothing: it has none

    bool HasEmbedding() const;
};

/// The first product of a layer: its inner size, which tensor parallelism does not cut, and bytes
/// of its elements.
struct LayerWidth
{
    uint64_t hidden = 1;
    uint64_t elementBytes = 2;
};

LayerWidth FindLayerWidth(const RecordedStage& stage);

/// Counts the parameters of a job whose ranks sum no gradients.
///
/// They are those of the matrices that backward products have as results. Kernels of the optimizer
/// say how many there are in all: an embedding has a matrix like the head's, and what is left
/// beyond matrices (norms, biases) is dealt to the layers evenly, apart from a norm of the head, in
/// whole rows of the hidden size.
class JobParameters
{
  public:
    /// Throws ConfigError where kernels do not say these numbers, with what is missing, and where
    /// layers have experts. Job and structure outlive it. Requires: `structure` was found in `job`.
    JobParameters(const Workload& job, const JobStructure& structure);

    const RecordedStage& StageOf(const RankStructure& rank) const
    {
        return *m_stages.at(rank.sameAs);
    }

    /// Those of each unit of a rank.
    StageParameters CountFor(const RankStructure& rank) const;

  private:
    uint64_t BeyondOfLayer(const RankStructure& rank, const LayerWidth& width, uint64_t row) const;

    const JobStructure& m_structure;
    uint32_t m_rankCount;
    std::map<uint32_t, std::unique_ptr<RecordedStage>> m_stages; ///< by the first of equal ranks
    std::map<uint32_t, StageParameters> m_parameters;            ///< likewise
};

} // namespace nadi
