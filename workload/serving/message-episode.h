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

/// Messages of one kind; `name` is for results.
struct MessageBundle
{
    std::string name;
    MessageKind kind = MessageKind::Pipeline;
    /// Whether each message goes only when its destination has asked for it, with a message without
    /// payload of the same kind; else all go at once.
    bool isAskedFor = false;
    std::vector<EpisodeMessage> messages; ///< no two have the same two ends
};

Episode MakeMessageEpisode(const MessageBundle& bundle, std::shared_ptr<const RankNames> names);

} // namespace nadi
