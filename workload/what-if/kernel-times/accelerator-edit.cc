// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/accelerator-edit.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/kernel-times/timed-kernels.h"
#include "workload/what-if/kernel-times/whole-nanos.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Models of the accelerator as recorded and as it is to be.
struct ModelPair
{
    KernelModels before;
    KernelModels after;
};

/// Throws ConfigError where nothing tells what bounds the kernels.
ModelPair
MakeModels(const Workload& job, const AcceleratorWish& wish, KernelTimer& timer)
{
    if (!HasTimedKernels(job))
    {
        throw ConfigError("what-if: gpu",
                          "the kernels have no recorded durations, so a roofline times them in "
                          "the simulation; write system.compute.peak and memory-bandwidth there");
    }
    const KernelModels* const models = timer.Models();
    if (models == nullptr)
    {
        throw ConfigError("what-if: gpu",
                          "no kernel has operations, bytes or shapes, so what bounds kernels is "
                          "unknown; convert the Kineto trace together with its host trace, which "
                          "has the shapes");
    }
    ModelPair pair{*models, *models};
    pair.after.peak = wish.peak.value_or(models->peak);
    pair.after.memoryBandwidth = wish.memoryBandwidth.value_or(models->memoryBandwidth);
    return pair;
}

/// Nanoseconds of kernels over all ranks.
struct TimeOfKernels
{
    double all = 0;
    double unknown = 0; ///< of kernels whose operations and bytes are unknown
    std::map<KernelOp, double> uncovered = {}; ///< of kinds that no model covers
};

/// Changes the kernels of one graph, which so many ranks share.
class GraphTimer
{
  public:
    GraphTimer(const ModelPair& models, double ranks, KernelTimer& timer, TimeOfKernels& time)
        : m_models(models)
        , m_timer(timer)
        , m_ranks(ranks)
        , m_time(time)
    {
    }

    void Change(NodeCopy& copy)
    {
        if (!IsTimedKernel(copy.node))
        {
            return;
        }
        const double nanos = ToNanos(copy.node.durationPs);
        // Ranks that share a graph take its time each, so shares of time count it as often.
        m_time.all += nanos * m_ranks;
        const std::optional<KernelWork> work = m_timer.FindCoveredWork(copy);
        const auto before = work ? m_models.before.Find(*work) : std::nullopt;
        if (!before)
        {
            (work ? m_time.uncovered[work->kind] : m_time.unknown) += nanos * m_ranks;
            return;
        }
        // The new models cover the same kinds, so they have an answer wherever the recorded ones
        // have.
        const KernelEstimate after = *m_models.after.Find(*work);
        m_timer.CompareBounds(work->kind, *before, after);
        copy.node.durationPs = FromNanos(nanos * after.nanos / before->nanos);
    }

  private:
    const ModelPair& m_models;
    KernelTimer& m_timer;
    double m_ranks;
    TimeOfKernels& m_time;
};

std::string
DescribeRates(const KernelModels& models)
{
    return fmt::format("{} and {:.4g} GB/s",
                       ToText(models.peak),
                       static_cast<double>(models.memoryBandwidth.BitsPerSecond()) / 8e9);
}

std::string
DescribeKept(double nanos, const TimeOfKernels& time)
{
    return fmt::format("keep their time: {:.3g} ms over all ranks, {:.1f} % of the time of kernels",
                       nanos / 1e6,
                       100 * nanos / time.all);
}

std::vector<std::string>
DescribeEdit(const ModelPair& models, const TimeOfKernels& time, const KernelTimer& timer)
{
    std::vector<std::string> notes{
        fmt::format("Kernels run on an accelerator of {} in place of {}; each changes by what "
                    "bounds it",
                    DescribeRates(models.after),
                    DescribeRates(models.before))};
    if (!timer.HasGivenModels())
    {
        notes.emplace_back("The recorded rates are the largest that kernels of this job reached. "
                           "Those of the accelerator are larger: give them to nadi trace fit, and "
                           "its models to --kernels");
    }
    if (time.unknown > 0)
    {
        notes.push_back("Kernels whose operations and bytes are unknown " +
                        DescribeKept(time.unknown, time));
    }
    for (const auto& [kind, nanos] : time.uncovered)
    {
        notes.push_back(fmt::format("No model covers kernels of kind {}, which {}",
                                    ToText(kind),
                                    DescribeKept(nanos, time)));
    }
    return notes;
}

} // namespace

AcceleratorEdit
ChangeAccelerator(Workload job, const AcceleratorWish& wish, KernelTimer& timer)
{
    const ModelPair models = MakeModels(job, wish, timer);
    // Kernels of a graph that no rank has count for nothing.
    std::vector<double> ranks(job.graphs.size(), 0);
    for (const uint32_t graph : job.graphOfRank)
    {
        ranks[graph] += 1;
    }
    TimeOfKernels time;
    for (size_t index = 0; index < job.graphs.size(); ++index)
    {
        GraphTimer graphTimer(models, ranks[index], timer, time);
        job.graphs[index] = ChangeNodes(job.graphs[index],
                                        [&](uint32_t, NodeCopy& copy) { graphTimer.Change(copy); });
    }
    return {std::move(job), DescribeEdit(models, time, timer)};
}

} // namespace nadi
