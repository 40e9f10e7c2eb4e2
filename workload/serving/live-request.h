// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/kv-transfer.h"
#include "workload/serving/sequence.h"
#include "workload/serving/serving-results.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// A request that has arrived and has no answer yet.
struct LiveRequest
{
    LiveRequest(const Request& request, const ReplicaPlace& at)
        : place(at)
    {
        sequence.request = request;
        record.id = request.id;
        record.instance = at.instance->Name();
        record.arrival = request.arrival;
        record.input = request.input;
        record.output = request.output;
    }

    ReplicaPlace place;                      ///< where the prompt is computed
    std::optional<ReplicaPlace> decodePlace; ///< where another instance goes on with it
    Sequence sequence;                       ///< at `place`
    Sequence decoded;                        ///< at `decodePlace`
    RequestRecord record;
    uint64_t kvSent = 0;     ///< tokens of the prompt whose keys and values have left, or will
                             ///< with the pass under way
    uint64_t kvOfPass = 0;   ///< of these, those that leave with that pass
    uint64_t kvUnderWay = 0; ///< transfers of its keys and values that have not ended
    bool isPrompted = false; ///< its prompt was computed at `place`, `decodePlace` goes on
    bool hasStarted = false;
    uint64_t tokens = 0; ///< of the answer, so far
    SimTime lastToken;   ///< when there was one
};

} // namespace nadi
