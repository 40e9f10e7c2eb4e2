// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/memo/entered-inputs.h"
#include "network/packet/memo/period-labels.h"
#include "network/packet/memo/period-trie.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

/// What happens in a part of the network, from rest to rest.
struct Period
{
    enum class State : uint8_t
    {
        New,      ///< nothing has entered
        Answered, ///< from the trie; its ports have seen nothing of it
        Live,     ///< simulated
        United,   ///< with another one, `root`
        Free,     ///< not in use
    };

    /// Inputs up to number `end` have entered by `at`, in picoseconds.
    struct Instant
    {
        int64_t at;
        uint32_t end;
    };

    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    explicit Period(const PeriodLabels& noLabels)
        : labels(noLabels)
    {
    }

    State state = State::New;
    bool isRecorded = false; ///< live: what happens goes to `node`
    uint64_t identity = 0;   ///< no other period has or had it; 0: not in use
    uint32_t root = PeriodTrie::NONE;
    uint64_t generation = 0; ///< what was scheduled for an earlier one is void
    int64_t begin = 0;       ///< when the first message entered, in picoseconds
    uint32_t node = PeriodTrie::ROOT;
    uint32_t first = PeriodTrie::NONE; ///< the child of the root by which it walks
    PeriodLabels labels;
    int64_t horizon = NEVER; ///< answered: no output after this time is known
    bool isPending = false;  ///< it is to be looked at when this instant ends
    EnteredInputs inputs;    ///< but of live ones that are not recorded
    std::vector<Instant> instants;
    std::vector<PeriodInput> fresh; ///< enter at this instant
    std::vector<uint32_t> resources;
    std::vector<uint32_t> united;  ///< periods of which this one is the root
    std::vector<uint32_t> merging; ///< those of them that have inputs of their own yet
    std::set<std::pair<uint32_t, uint64_t>>
        pairs;                      ///< where congestion is controlled: (way, stream)
    size_t counted = 0;             ///< live and recorded: resources whose counters were kept
    std::vector<uint32_t> traffics; ///< closed traffic that entered
    uint32_t openTraffics = 0;      ///< live: those of them that have not ended
    uint32_t busyPairs = 0;         ///< live: queue pairs that are not idle
    int64_t idleSince = 0;          ///< live: when the last of them became idle, or traffic ended
    uint64_t slowdowns = 0;         ///< live: of congestion controls
};

} // namespace nadi
