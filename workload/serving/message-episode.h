// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/episode.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nadi
{

struct EpisodeMessage
{
    RankId source;
    RankId destination;
    uint64_t bytes = 0;
};

/// Messages that go all at once; `name` is for results. Requires: no two have the same two ends.
Episode MakeMessageEpisode(const std::string& name,
                           const std::vector<EpisodeMessage>& messages,
                           std::shared_ptr<const RankNames> names);

} // namespace nadi
