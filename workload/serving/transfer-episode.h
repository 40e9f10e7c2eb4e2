// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/episode.h"
#include "workload/serving/kv-transfer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// Keys and values of so many tokens go from each source to each destination of the shares.
Episode MakeTransferEpisode(const std::vector<KvShare>& shares,
                            uint64_t tokens,
                            std::shared_ptr<const RankNames> names);

} // namespace nadi
