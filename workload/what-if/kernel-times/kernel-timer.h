// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/fitting/kernel-kind.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/kernel-times/kernel-exponents.h"
#include "workload/what-if/kernel-times/kernel-times.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Gives kernels whose sizes an edit changed their new durations. The first of these that has an
/// answer counts:
///
/// 1. A measured table. Its times are absolute, since they were measured: those of the kernels of a
///    node are added up. It is asked only where it has the recorded sizes too, so that it knows the
///    kernel at all, or where it has a row of exactly the new sizes; times between rows of other
///    kernels would be a guess.
/// 2. Models: those that were given, else those fitted to the job. They count as a ratio: recorded
///    duration x model(after) / model(before). So what a model misses of a kernel, as the touched
///    part of a view, stays out. The kernels of a node are taken together, as they were fitted, by
///    the model of the kind that the node was recorded with.
///
/// Durations are whole nanoseconds, as traces have them.
class KernelTimer
{
  public:
    /// `job` is the recorded one; models are fitted to it when the first is needed. It outlives the
    /// timer.
    explicit KernelTimer(const Workload& job, KernelTimes times = {});

    /// The duration in picoseconds of a compute node that is now `after` and was `before`, whose
    /// recorded duration counts: the same where both do the same. 0 where `before` has none: a
    /// roofline times it in the simulation.
    ///
    /// Throws ConfigError where nothing tells it, with the kind and the sizes that a table needs.
    int64_t TimeAnew(const NodeCopy& before, const NodeCopy& after);

    /// Likewise of a node that names no sizes, by how its kind grows (FindScale).
    int64_t
    TimeByExponents(const NodeCopy& before, KernelPlace place, const DimensionRatios& ratios);

    /// Keeps that the duration of a kernel that names no sizes was scaled with what it works on.
    void NoteUnsized(const NodeCopy& before, const NodeCopy& after);

    /// The duration of a kernel that does the work of several, which follow each other: recorded
    /// durations x model(whole) / sum of model(part). Without models for all of them the
    /// durations add up, but for a launch of each part but one, which the shortest kernel of the
    /// job bounds; at least the longest part. 0 where a part has no duration. Requires: `parts` is
    /// not empty.
    int64_t TimeFused(const std::vector<NodeCopy>& parts, const NodeCopy& whole);

    /// The models that count: those that were given, else those fitted to the job; null: the
    /// recording has no kernels with durations and sizes.
    const KernelModels* Models();

    /// The models are those that were given.
    bool HasGivenModels() const
    {
        return m_times.models.has_value();
    }

    /// What a node does (FindKernelWork), of a kind that a model covers: the node's own, else that
    /// of the most of its kernels that a model covers, as where other sizes make another kernel of
    /// a node its largest. That is noted. Where no kernel is covered the kind is its own; nothing
    /// where the work is unknown.
    std::optional<KernelWork> FindCoveredWork(const NodeCopy& copy);

    /// A kernel of this kind changes by what a model said of it before and says after.
    void CompareBounds(KernelOp kind, const KernelEstimate& before, const KernelEstimate& after);

    /// What was extrapolated or assumed, a sentence each, for the page of the edit.
    std::vector<std::string> Notes() const;

    /// That the given table or models were asked for no kernel, and why, a sentence; empty: they
    /// were, or none were given. Requires: all edits are done.
    std::string NoteUnused() const;

    /// Kinds whose kernels came to a bound that no recorded one shows (CompareBounds), a sentence
    /// each.
    std::vector<std::string> Doubts() const;

  private:
    /// Of kernels of a kind.
    struct Doubt
    {
        SeenBounds seen = SeenBounds::Both;
        double share = 0; ///< the most that a time differs from what seen bounds say; 0.1 is 10 %
    };

    std::optional<int64_t> FindInTable(const NodeCopy& before, const NodeCopy& after);
    std::optional<int64_t> FindByModel(const NodeCopy& before, const NodeCopy& after);
    void NoteOtherMixture(KernelOp kind, const NodeCopy& before, const NodeCopy& after);
    std::optional<double> FindNanos(const NodeCopy& copy);
    int64_t FindShortestKernel();
    void NoteOnce(const std::string& about, KernelOp kind, std::string note);

    const Workload& m_job;
    KernelTimes m_times;
    std::optional<KernelModels> m_fitted;
    bool m_wasFitted = false;
    bool m_wasAsked = false; ///< m_times were, for a kernel
    std::optional<int64_t> m_shortestPs;
    /// By what they are about and of which kind.
    std::map<std::pair<std::string, KernelOp>, std::string> m_notes;
    std::map<KernelOp, Doubt> m_doubts;
};

} // namespace nadi
