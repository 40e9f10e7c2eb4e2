// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/table-lines.h"
#include "workload/serving/request-trace.h"
#include "workload/serving/trace-clock.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace nadi
{

/// Reads JSON lines of Mooncake or LLMServingSim. In a session each request but the first comes so
/// long after the end of the one before as its tool takes.
class JsonRequests : public RequestSource
{
  public:
    /// `lines` stand at the first line, which is read already.
    JsonRequests(const RequestTraceOptions& options, TableLines lines);

    std::optional<Request> Next() override;
    std::optional<Request> NextAfter(const Request& ended, SimTime end) override;

  private:
    /// A request of a session that has not begun.
    struct Later
    {
        uint64_t input = 0;
        uint64_t output = 0;
        SimTime pause; ///< after the end of the one before
    };

    std::optional<Request> Give(Request request);
    Request ReadSession(const std::string& where);

    RequestTraceOptions m_options;
    TableLines m_lines;
    bool m_hasLine = true;
    TraceClock m_clock;
    std::map<uint64_t, std::deque<Later>> m_sessions; // by number, those with requests to come
    uint64_t m_sessionCount = 0;
    uint64_t m_given = 0;
};

} // namespace nadi
