// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace nadi::test
{

/// Every task of a rank is in one list of it.
inline void
CheckEachTaskOnce(const RankStructure& rank)
{
    TaskList dealt = rank.head;
    const auto add = [&dealt](const TaskList& tasks)
    { dealt.insert(dealt.end(), tasks.begin(), tasks.end()); };
    for (const LayerRunPass& pass : rank.passes)
    {
        add(pass.before);
        for (const LayerPass& layer : pass.layers)
        {
            add(layer.tasks);
            add(layer.extra);
        }
        add(pass.after);
    }
    add(rank.optimizer);
    TaskList all = rank.tasks;
    std::ranges::sort(all);
    std::ranges::sort(dealt);
    CHECK(dealt == all);
}

} // namespace nadi::test
