// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/serving/expert-counts.h"
#include "workload/serving/pass-counts.h"
#include "workload/serving/serve-options.h"
#include "workload/serving/time-histogram.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A request that has its answer; a row of `requests.csv`.
struct RequestRecord
{
    uint64_t id = 0;
    std::string instance; ///< which computed the prompt
    SimTime arrival;
    SimTime start;       ///< of the first iteration that computed a token of it
    SimTime firstToken;  ///< end of the iteration that completed the prompt
    SimTime end;         ///< of the last token
    SimTime transfer;    ///< from the first token until its keys and values were at the decode
                         ///< instance; 0 where it stayed
    uint64_t input = 0;  ///< tokens
    uint64_t output = 0; ///< tokens
    uint64_t preemptions = 0;

    /// Queueing included.
    SimTime Ttft() const
    {
        return firstToken - arrival;
    }

    /// (end - first token) / (output - 1), rounded down; 0 for one token.
    SimTime Tpot() const
    {
        return output < 2
                   ? SimTime()
                   : SimTime::FromPs((end - firstToken).Ps() / static_cast<int64_t>(output - 1));
    }

    SimTime Queueing() const
    {
        return start - arrival;
    }

    SimTime Prefill() const
    {
        return firstToken - start;
    }

    /// Whether it kept the bounds that there are.
    bool Keeps(const ServiceLevel& level) const
    {
        return (!level.ttft || Ttft() <= *level.ttft) && (!level.tpot || Tpot() <= *level.tpot);
    }
};

/// A forward pass of an instance, from its first stage to its last.
struct PassRecord
{
    uint32_t instance = 0; ///< its number
    SimTime start;
    SimTime end;
    uint64_t requests = 0; ///< that it computed tokens of
    uint64_t tokens = 0;
};

/// Told of passes that have ended.
class PassObserver
{
  public:
    virtual ~PassObserver() = default;
    virtual void OnPassEnded(const PassRecord& pass) = 0;
};

/// Told of requests that have their answers.
class RequestObserver
{
  public:
    virtual ~RequestObserver() = default;
    virtual void OnRequestEnded(const RequestRecord& request) = 0;
};

/// What an instance did; a row of `instances.csv`.
struct InstanceTotals
{
    std::string name;
    std::string role;
    uint64_t iterations = 0;
    SimTime busy;             ///< with one or more iterations under way
    uint64_t tokens = 0;      ///< computed, prompts and answers
    uint64_t kvPeakBytes = 0; ///< of a replica, the most of all

    /// Experts apart take part in all passes of their attention instance.
    void CountPassesOf(const InstanceTotals& attention)
    {
        iterations = attention.iterations;
        busy = attention.busy;
        tokens = attention.tokens;
    }
};

/// What a cluster served; `serving` in `summary.json`.
struct ServingTotals
{
    uint64_t requests = 0;  ///< that have their answers
    uint64_t tokensIn = 0;  ///< of their prompts
    uint64_t tokensOut = 0; ///< of their answers
    uint64_t kept = 0;      ///< requests that kept the service level
    SimTime end;            ///< of the last one
    TimeHistogram ttft;
    TimeHistogram tpot; ///< of requests with two tokens or more
    TimeHistogram itl;  ///< gaps between the tokens of an answer
    std::vector<InstanceTotals> instances;
    ExpertCounts experts;            ///< of instances whose experts lie on several ranks
    bool isOverloaded = false;       ///< the queue grew to the end
    bool isDecodeOverloaded = false; ///< the queue for room at decode instances grew to the end
    uint64_t namedPrefixes = 0;      ///< requests that say what their prompts have in common
    uint64_t cachedTokens = 0;       ///< of prompts, that were found in the prefix cache
    uint64_t swaps = 0;        ///< times that keys and values of a sequence left for remote memory
    uint64_t swappedBytes = 0; ///< that left
    PassCounts passes;
    SimTime firstArrival; ///< of those that have their answers
    uint64_t longest = 0; ///< tokens of a request's prompt and answer, at most

    /// From 0 to the last answer.
    double Seconds() const
    {
        return end.Ns() / 1e9;
    }

    /// 0 where nothing was served.
    double PerSecond(uint64_t count) const
    {
        return end > SimTime() ? double(count) / Seconds() : 0;
    }
};

} // namespace nadi
