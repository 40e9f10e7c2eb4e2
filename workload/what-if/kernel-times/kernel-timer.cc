// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/kernel-timer.h"

#include "common/error.h"
#include "workload/tools/fitting/kernel-fit.h"
#include "workload/what-if/kernel-times/timed-kernels.h"
#include "workload/what-if/kernel-times/whole-nanos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace nadi
{

namespace
{

// Bounds what fusing saves where all kernels of a job are long.
constexpr int64_t LONGEST_LAUNCH_PS = 10'000'000; // as a fit has it
constexpr double DOUBT_SAID_FROM = 0.01;          // what fits reach where nothing is guessed

bool
IsSameWork(const NodeCopy& one, const NodeCopy& other)
{
    return one.node.operations == other.node.operations && one.node.size == other.node.size &&
           one.kernels == other.kernels;
}

KernelOp
KindOf(const NodeCopy& copy)
{
    return FindNodeKind(copy.name, copy.kernels);
}

/// What a table says of the kernels of a node together.
struct TableTime
{
    SimTime time;
    bool isExact = true;
    std::string problem; ///< "": it has them all
};

/// The sum over the kernels of a node. A kernel that the table does not have leaves the whole node
/// without a time.
TableTime
FindTableTime(const KernelTable& table, const std::vector<KernelLaunch>& kernels)
{
    TableTime sum;
    for (const KernelLaunch& kernel : kernels)
    {
        const KernelTable::Answer answer = table.Find(kernel);
        if (!answer.time)
        {
            return {.time = {},
                    .isExact = false,
                    .problem = fmt::format("{} ({})", ToText(kernel), answer.problem)};
        }
        sum.time = sum.time + *answer.time;
        sum.isExact = sum.isExact && answer.isExact;
    }
    return sum;
}

/// The sizes that a table would need.
std::string
DescribeSizes(const NodeCopy& copy)
{
    return copy.kernels.empty() ? fmt::format("bytes={}", copy.node.size) : ToText(copy.kernels);
}

/// The kernels whose kinds a model covers.
std::vector<KernelLaunch>
FindCoveredKernels(const KernelModels& models, const std::vector<KernelLaunch>& kernels)
{
    std::vector<KernelLaunch> covered;
    std::ranges::copy_if(kernels,
                         std::back_inserter(covered),
                         [&models](const KernelLaunch& kernel)
                         { return models.kinds.contains(kernel.op); });
    return covered;
}

/// The share of the kernels of a kind in the operations of all.
double
ShareOfKind(KernelOp kind, const std::vector<KernelLaunch>& kernels)
{
    double ofKind = 0;
    double all = 0;
    for (const KernelLaunch& kernel : kernels)
    {
        const auto operations = static_cast<double>(kernel.operations);
        ofKind += kernel.op == kind ? operations : 0;
        all += operations;
    }
    return all > 0 ? ofKind / all : 1;
}

/// A graph counts once, however many ranks share it.
std::optional<KernelModels>
FitJob(const Workload& job)
{
    KernelSamples samples;
    for (const ExecutionGraph& graph : job.graphs)
    {
        samples.AddRank(graph);
    }
    if (samples.Shapes().empty())
    {
        return std::nullopt;
    }
    return FitModels(samples, {});
}

/// Why a bound of the kind is a guess.
std::string
DescribeSeen(KernelOp kind, SeenBounds seen)
{
    switch (seen)
    {
    case SeenBounds::Both:
        return "";
    case SeenBounds::Arithmetic:
        return fmt::format("No recorded kernel of kind {} is bound by memory, and some are now",
                           ToText(kind));
    case SeenBounds::Memory:
        return fmt::format("No recorded kernel of kind {} is bound by arithmetic, and some are now",
                           ToText(kind));
    case SeenBounds::Either:
        return fmt::format("Recorded kernels of kind {} fit a bound by arithmetic and one by "
                           "memory alike",
                           ToText(kind));
    }
    return "";
}

} // namespace

KernelTimer::KernelTimer(const Workload& job, KernelTimes times)
    : m_job(job)
    , m_times(std::move(times))
{
}

const KernelModels*
KernelTimer::Models()
{
    if (m_times.models)
    {
        m_wasAsked = true;
        return &*m_times.models;
    }
    if (!m_wasFitted)
    {
        m_fitted = FitJob(m_job);
        m_wasFitted = true;
    }
    return m_fitted ? &*m_fitted : nullptr;
}

int64_t
KernelTimer::TimeAnew(const NodeCopy& before, const NodeCopy& after)
{
    if (before.node.durationPs <= 0)
    {
        return 0;
    }
    // Operators of the host do the same whatever sizes kernels have.
    if (before.node.isCpu || IsSameWork(before, after))
    {
        return before.node.durationPs;
    }
    if (const std::optional<int64_t> measured = FindInTable(before, after))
    {
        return *measured;
    }
    if (const std::optional<int64_t> fitted = FindByModel(before, after))
    {
        return *fitted;
    }
    throw ConfigError("what-if",
                      fmt::format("nothing tells how long \"{}\" takes with other sizes; give "
                                  "--kernels a table or models that have {}",
                                  before.name,
                                  DescribeSizes(after)));
}

/// Nothing where there is no table, where the kernels of the node name no sizes, or where the table
/// does not know these kernels, which a note then says.
std::optional<int64_t>
KernelTimer::FindInTable(const NodeCopy& before, const NodeCopy& after)
{
    if (!m_times.table || after.kernels.empty())
    {
        return std::nullopt;
    }
    m_wasAsked = true;
    const TableTime time = FindTableTime(*m_times.table, after.kernels);
    const TableTime recorded = FindTableTime(*m_times.table, before.kernels);
    const bool isKnown = time.problem.empty() && (time.isExact || recorded.problem.empty());
    if (isKnown)
    {
        return FromNanos(ToNanos(time.time.Ps()));
    }
    const std::string& problem = time.problem.empty() ? recorded.problem : time.problem;
    NoteOnce("table",
             KindOf(before),
             fmt::format("{} has no time of {}; fitted models stand in for {}",
                         m_times.table->File(),
                         problem,
                         after.kernels.size() == 1
                             ? fmt::format("kernels of kind {}", ToText(KindOf(before)))
                             : fmt::format("all kernels of \"{}\" and of nodes like it, of which "
                                           "it is one",
                                           before.name)));
    return std::nullopt;
}

/// Nothing where no model covers the kind of the node, or where its work before or after is
/// unknown.
std::optional<int64_t>
KernelTimer::FindByModel(const NodeCopy& before, const NodeCopy& after)
{
    const KernelModels* const models = Models();
    const std::optional<KernelWork> work = FindCoveredWork(before);
    std::optional<KernelWork> next = FindKernelWork(after.node, after.name, after.kernels);
    if (models == nullptr || !work || !next)
    {
        return std::nullopt;
    }
    // The kind of the recorded node, so that both times are of one model: with other sizes another
    // of its kernels may be the largest, and a ratio of two models would mean nothing.
    next->kind = work->kind;
    const std::optional<KernelEstimate> recorded = models->Find(*work);
    const std::optional<KernelEstimate> estimate = models->Find(*next);
    if (!recorded || !estimate)
    {
        return std::nullopt;
    }
    if (estimate->isExtrapolated)
    {
        NoteOnce("beyond",
                 work->kind,
                 fmt::format("Kernels of kind {} get sizes of more than twice the largest that "
                             "their model was fitted to: their times are extrapolated",
                             ToText(work->kind)));
    }
    CompareBounds(work->kind, *recorded, *estimate);
    NoteOtherMixture(work->kind, before, after);
    const double nanos = ToNanos(before.node.durationPs) * estimate->nanos / recorded->nanos;
    return FromNanos(nanos);
}

/// One model times all kernels of a task, at the rate that they reached together. With other shares
/// of kinds that are not equally fast they reach another one.
void
KernelTimer::NoteOtherMixture(KernelOp kind, const NodeCopy& before, const NodeCopy& after)
{
    constexpr double SAID_FROM = 0.01;
    const double recorded = ShareOfKind(kind, before.kernels);
    const double wanted = ShareOfKind(kind, after.kernels);
    if (std::abs(wanted - recorded) < SAID_FROM)
    {
        return;
    }
    NoteOnce(
        "mixture",
        kind,
        fmt::format("Tasks that have kernels of kind {} beside others, such as \"{}\", are "
                    "timed as a whole: kind {} does {:.0f} % of their operations, after {:.0f} "
                    "% as recorded. Where the kinds reach other rates, these times are off; a "
                    "table of measured times (--kernels) has each kind",
                    ToText(kind),
                    before.name,
                    ToText(kind),
                    100 * wanted,
                    100 * recorded));
}

std::optional<KernelWork>
KernelTimer::FindCoveredWork(const NodeCopy& copy)
{
    const KernelModels* const models = Models();
    std::optional<KernelWork> work = FindKernelWork(copy.node, copy.name, copy.kernels);
    if (models == nullptr || !work || models->kinds.contains(work->kind))
    {
        return work;
    }
    const std::vector<KernelLaunch> covered = FindCoveredKernels(*models, copy.kernels);
    if (covered.empty())
    {
        return work;
    }
    const KernelOp kind = FindNodeKind(copy.name, covered);
    NoteOnce("uncovered",
             work->kind,
             fmt::format("No model covers kernels of kind {}: that of kind {} stands in where a "
                         "task has kernels of both",
                         ToText(work->kind),
                         ToText(kind)));
    work->kind = kind;
    return work;
}

int64_t
KernelTimer::TimeByExponents(const NodeCopy& before,
                             KernelPlace place,
                             const DimensionRatios& ratios)
{
    const KernelOp kind = KindOf(before);
    const double scale = FindScale(kind, place, ratios);
    if (before.node.durationPs <= 0 || scale == 1)
    {
        return before.node.durationPs;
    }
    NoteOnce(place == KernelPlace::Layer ? "exponents" : "vocabulary",
             kind,
             fmt::format("Kernels of kind {} name no sizes: their times are assumed to grow as {}",
                         ToText(kind),
                         DescribeGrowth(kind, place)));
    return FromNanos(ToNanos(before.node.durationPs) * scale);
}

void
KernelTimer::NoteUnsized(const NodeCopy& before, const NodeCopy& after)
{
    const KernelOp kind = KindOf(before);
    // Where TimeByExponents timed kernels of the kind, it has said how their times grow.
    const bool isNoted =
        m_notes.contains({"exponents", kind}) || m_notes.contains({"vocabulary", kind});
    if (!before.node.isCpu && before.node.durationPs != after.node.durationPs && !isNoted)
    {
        NoteOnce("growth",
                 kind,
                 fmt::format("Kernels of kind {} name no sizes: their times are assumed to grow "
                             "with what they work on",
                             ToText(kind)));
    }
}

/// What a model says; nothing where there is none, or nothing to ask it for.
std::optional<double>
KernelTimer::FindNanos(const NodeCopy& copy)
{
    const KernelModels* const models = Models();
    const auto work = FindCoveredWork(copy);
    const auto estimate = models != nullptr && work ? models->Find(*work) : std::nullopt;
    return estimate ? std::optional(estimate->nanos) : std::nullopt;
}

/// In picoseconds: what a launch takes at most, since the shortest kernel contains one. Found once,
/// as this goes over all kernels of the job.
int64_t
KernelTimer::FindShortestKernel()
{
    if (m_shortestPs)
    {
        return *m_shortestPs;
    }
    m_shortestPs = LONGEST_LAUNCH_PS;
    for (const ExecutionGraph& graph : m_job.graphs)
    {
        for (const ExecutionNode& node : graph.Nodes())
        {
            if (IsTimedKernel(node))
            {
                m_shortestPs = std::min(*m_shortestPs, node.durationPs);
            }
        }
    }
    return *m_shortestPs;
}

int64_t
KernelTimer::TimeFused(const std::vector<NodeCopy>& parts, const NodeCopy& whole)
{
    int64_t sum = 0;
    int64_t longest = 0;
    std::optional<double> fitted = 0;
    for (const NodeCopy& part : parts)
    {
        if (part.node.durationPs <= 0)
        {
            return 0;
        }
        sum += part.node.durationPs;
        longest = std::max(longest, part.node.durationPs);
        const std::optional<double> nanos = FindNanos(part);
        // Without a model for one part there is no ratio, as the sum of the other parts is no time
        // of all.
        fitted = fitted && nanos ? std::optional(*fitted + *nanos) : std::nullopt;
    }
    const std::optional<double> fused = FindNanos(whole);
    if (fitted && fused)
    {
        return FromNanos(ToNanos(sum) * *fused / *fitted);
    }
    NoteOnce("fused",
             KindOf(whole),
             fmt::format("No model covers fused kernels of kind {}: their durations add up, but "
                         "for a launch, which the shortest kernel of the job bounds",
                         ToText(KindOf(whole))));
    const auto launches = static_cast<int64_t>(parts.size() - 1);
    return std::max(longest, sum - launches * FindShortestKernel());
}

/// The first case of each kind stands for all, so that a job of many kernels has few notes.
void
KernelTimer::NoteOnce(const std::string& about, KernelOp kind, std::string note)
{
    m_notes.try_emplace({about, kind}, std::move(note));
}

void
KernelTimer::CompareBounds(KernelOp kind, const KernelEstimate& before, const KernelEstimate& after)
{
    // The growth of the time as the model has it, over its growth if only bounds held that recorded
    // kernels show. A kernel that stays at such a bound leaves no doubt.
    const double growth = after.nanos / before.nanos;
    const double seenGrowth = after.seenNanos / before.seenNanos;
    Doubt& doubt = m_doubts[kind];
    doubt.seen = after.seen;
    doubt.share = std::max(doubt.share, std::abs(growth / seenGrowth - 1));
}

std::vector<std::string>
KernelTimer::Doubts() const
{
    std::vector<std::string> doubts;
    for (const auto& [kind, doubt] : m_doubts)
    {
        if (doubt.share >= DOUBT_SAID_FROM)
        {
            doubts.push_back(fmt::format("{}: their times may be off by up to {:.0f} %; a table of "
                                         "measured times (--kernels) would tell",
                                         DescribeSeen(kind, doubt.seen),
                                         100 * doubt.share));
        }
    }
    return doubts;
}

std::string
KernelTimer::NoteUnused() const
{
    if (m_wasAsked || (!m_times.table && !m_times.models))
    {
        return "";
    }
    if (!HasTimedKernels(m_job))
    {
        return "--kernels times nothing here: the kernels have no recorded durations, so a "
               "roofline times them in the simulation; system.compute.kernels takes a table of "
               "measured times there";
    }
    return m_times.table ? "--kernels times nothing here: a table times kernels that name their "
                           "shapes and get other ones, and no edit makes such kernels"
                         : "--kernels times nothing here: models time kernels that get other sizes "
                           "or another accelerator or are fused, and no edit makes such kernels";
}

std::vector<std::string>
KernelTimer::Notes() const
{
    std::vector<std::string> notes;
    for (const auto& [about, note] : m_notes)
    {
        notes.push_back(note);
    }
    return notes;
}

} // namespace nadi
