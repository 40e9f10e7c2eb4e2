// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/transformer-job.h"
#include "workload/workload-model.h"

namespace nadi
{

/// Training of a transformer, dense or a mixture of experts, with tensor, sequence, context,
/// pipeline, data and expert parallelism. docs/workloads.md has the closed forms.
///
/// One graph for each pipeline stage, whatever the number of ranks.
class TransformerModel : public WorkloadModel
{
  public:
    static constexpr const char* Help =
        "a transformer, dense or a mixture of experts, in all the usual kinds of parallelism";

    static std::vector<ParameterSpec> ParameterSpecs();

    explicit TransformerModel(const Parameters& parameters);

    /// tp x cp x dp x pp, when dp is given.
    std::optional<uint32_t> RankCount() const override;

    Workload Make(const JobPlace& place) const override;

    /// The job on so many ranks. Throws ConfigError at the parameter that does not fit.
    TransformerJob MakeJob(uint32_t ranks) const;

  private:
    void ReadPipeline(const Parameters& parameters);
    void CheckTensor() const;
    void CheckExperts() const;

    TransformerJob m_job; ///< but for what depends on the ranks
    uint64_t m_batch = 0;
    bool m_hasData = false; ///< dp was given
};

} // namespace nadi
