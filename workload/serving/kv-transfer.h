// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/collective-plan.h"
#include "workload/serving/serving-instance.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Keys and values that one rank sends to another, for each token.
struct KvShare
{
    RankId source;
    RankId destination;
    uint64_t bytesOfToken = 0;

    bool operator==(const KvShare&) const = default;
};

/// A replica of an instance.
struct ReplicaPlace
{
    const ServingInstance* instance = nullptr;
    uint32_t replica = 0;
};

/// Who sends what of some layers, so that each rank of `to` has the keys and values of its layers
/// and heads. Where several ranks of `from` have a head, those of `to` that need it ask one after
/// the other of them.
///
/// Holds: over all layers, each rank of `to` gets exactly what a token takes in its cache. By
/// (source, destination).
std::vector<KvShare>
PlanKvTransfer(const ReplicaPlace& from, const ReplicaPlace& to, const Interval& layers);

/// The same of all layers.
std::vector<KvShare> PlanKvTransfer(const ReplicaPlace& from, const ReplicaPlace& to);

} // namespace nadi
