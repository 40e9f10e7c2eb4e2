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

    /// tp x cp x dp x pp, when dp and tp are given.
    std::optional<uint32_t> RankCount() const override;

    Workload Make(const JobPlace& place) const override;

    /// Throws ConfigError at the parameter that does not fit.
    TransformerJob MakeJob(const JobPlace& place) const;

  private:
    void ReadPipeline(const Parameters& parameters);
    uint32_t TensorRanks(const JobPlace& place) const;
    /// The job but for what depends on the ranks.
    TransformerJob WithTensor(uint32_t tensor) const;
    /// Cuts the job over the ranks that are left.
    void SetData(TransformerJob& job, uint32_t ranks) const;
    /// Cuts the batch. Requires: SetData.
    void SetMicroBatches(TransformerJob& job) const;

    TransformerJob m_job; ///< 0 of its degrees, or of its microBatch, is not given
    uint64_t m_batch = 0;
    bool m_isSequenceParallel = false;
};

} // namespace nadi
