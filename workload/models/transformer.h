// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/transformer-cut.h"
#include "workload/models/transformer-forward.h"
#include "workload/workload-model.h"

namespace nadi
{

/// Training of a transformer, dense or a mixture of experts, with tensor, sequence, context,
/// pipeline, data and expert parallelism; or a forward pass of one that is served.
/// docs/workloads.md has the closed forms of training, docs/serving.md those of forward passes.
///
/// One graph for each pipeline stage, whatever the number of ranks; where tp does not divide the
/// shape, one for each different part of a stage.
class TransformerModel : public WorkloadModel
{
  public:
    static constexpr const char* Help =
        "A training step of a transformer, dense or a mixture of experts (MoE), with tensor, "
        "sequence, context, pipeline, data and expert parallelism.";

    static std::vector<ParameterSpec> ParameterSpecs();

    explicit TransformerModel(const Parameters& parameters);

    /// tp x cp x dp x pp, when dp and tp are given.
    std::optional<uint32_t> RankCount() const override;

    Workload Make(const JobPlace& place) const override;

  private:
    void ReadPipeline(const Parameters& parameters);
    void ReadForward(const Parameters& parameters);

    TransformerRequest m_request;
    std::optional<ForwardRequest> m_forward; ///< none: a step of training
};

} // namespace nadi
