// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/gradient-units.h"
#include "workload/what-if/parameter-rule.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Parameters of a job that sums no gradients. Kernels that make gradients of weights tell the
/// matrices of each layer, and the optimizer how many parameters there are beyond these (norms,
/// biases), which are dealt to the layers evenly, apart from a norm of the head. Where the first
/// kernels make gradients of matrices too, as those of a convolution, these are theirs; if as many
/// parameters for each column of a matrix are exactly what is beyond, each matrix has its own.
class CountedParameters
{
  public:
    /// The references outlive it. Throws ConfigError as FindGradientUnits and CountUpdated do.
    CountedParameters(const Workload& job, const JobStructure& structure);

    const RecordedStage& StageOf(const RankStructure& rank) const
    {
        return *m_stages.at(rank.sameAs);
    }

    /// With their parameters, in the order of the last kernel of each.
    std::vector<GradientUnit> UnitsOf(const RankStructure& rank) const;

    /// Of layers and of all else.
    uint64_t AllOf(const RankStructure& rank) const
    {
        return m_counts.at(rank.sameAs).updated;
    }

    /// Whether embedding and head are taken to share a matrix (NoteOfEnds), a sentence; empty
    /// where no stage has both.
    std::string DescribeEnds() const;

    /// What parameters beyond matrices are taken to be, half a sentence.
    std::string DescribeBeyond() const;

    /// Bytes of one parameter.
    uint64_t ElementBytesOf(const RankStructure& rank) const;

  private:
    /// Parameters beyond matrices for each column of a matrix: two for the norm of a channel, one
    /// for a bias.
    struct ColumnRule
    {
        uint64_t ofHead = 0;
        uint64_t ofOthers = 0;
    };

    /// What one stage tells of its parameters.
    struct StageCounts
    {
        std::vector<GradientUnit> units;
        uint64_t updated = 0;
        uint64_t layers = 0; ///< how many units are layers
        uint64_t ofLayers = 0;
        uint64_t columns = 0;                          ///< of matrices of layers
        std::optional<uint64_t> ofHead = std::nullopt; ///< nothing: it has none
        uint64_t headColumns = 0;
        uint64_t ofFirst = 0; ///< matrices of the embedding, as of a convolution
        uint64_t firstColumns = 0;
        uint64_t hidden = 0;
        uint64_t sequence = 0; ///< tokens; 0: unknown

        bool HasEmbedding() const;
    };

    static StageCounts Count(const RecordedStage& stage);
    static std::optional<EndsEvidence> FindEvidence(const StageCounts& stage);
    static std::optional<ParameterRule> FindRule(const StageCounts& stage);
    static std::optional<ColumnRule> FindColumnRule(const StageCounts& stage);
    static std::vector<GradientUnit> DealByColumns(const StageCounts& stage,
                                                   const ColumnRule& rule);
    static std::optional<uint64_t> FindRuleOfLayer(const StageCounts& stage, uint64_t beyond);
    static std::optional<uint64_t> FindBeyondOfLayer(const StageCounts& stage, uint64_t row);
    static std::optional<uint64_t> FindEmbedding(const StageCounts& stage);
    uint64_t BeyondOfLayer(const RankStructure& rank, uint64_t row) const;

    const Workload& m_job;
    const JobStructure& m_structure;
    std::map<uint32_t, std::unique_ptr<RecordedStage>> m_stages; // by the first of equal ranks
    std::map<uint32_t, StageCounts> m_counts;                    // likewise
};

/// The parameters of a job, or why they are not counted.
struct CountedOrReason
{
    std::optional<CountedParameters> counted;
    std::string whyNot;
};

/// A sentence for kernels of the optimizer that work on more or fewer parameters.
std::string NoteOfParameters(const CountedOrReason& count);

/// Nothing is counted where copies sum gradients, which tell more, or where the job does not tell
/// them.
CountedOrReason TryToCountParameters(const Workload& job, const JobStructure& structure);

} // namespace nadi
