// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"
#include "system/synthesis/matching.h"

#include <string>

namespace nadi::synthesis
{

/// How an attempt differs from others with the same chunks and seed.
enum class AttemptRule
{
    Plain,      ///< GroupRule::Ignore; paths: balanced
    PreferNew,  ///< GroupRule::Prefer
    RequireNew, ///< GroupRule::Require
    QuickPaths, ///< each chunk takes its quickest path
    OneRoot,    ///< all-reduce: sums of all chunks at the rank in the middle
    FreeRoots,  ///< all-reduce: each chunk has a tree and root of its own, up and down at once
};

std::string DescribeRule(AttemptRule rule);

/// What the matching does by this rule.
GroupRule GroupRuleOf(AttemptRule rule);

/// Whether chunks only move: all-to-all, gather, scatter.
bool IsMoving(CollectiveType type);

/// All-reduce or barrier.
bool IsAllReduce(CollectiveType type);

/// Whether the collective is cut into chunks of shards; else its buffer is cut as one.
bool HasShards(CollectiveType type, AttemptRule rule);

} // namespace nadi::synthesis
