// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/json-requests.h"

#include "common/error.h"
#include "workload/trace/json-nesting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

using RequestJson = nlohmann::json;

/// Throws ConfigError at `where` unless `object` has these keys, and no others.
void
CheckKeys(const RequestJson& object, const std::vector<std::string>& keys, const std::string& where)
{
    if (!object.is_object())
    {
        throw ConfigError(where, "is no JSON object; write one on each line");
    }
    for (const auto& [key, value] : object.items())
    {
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
        {
            throw ConfigError(where, fmt::format("unknown key \"{}\"", key));
        }
    }
    for (const std::string& key : keys)
    {
        if (!object.contains(key))
        {
            throw ConfigError(where, fmt::format("key \"{}\" is missing", key));
        }
    }
}

uint64_t
ReadTokens(const RequestJson& object, const char* key, const std::string& where)
{
    if (!object[key].is_number_unsigned())
    {
        throw ConfigError(where, fmt::format("{} is no number of tokens", key));
    }
    return object[key].get<uint64_t>();
}

double
ReadNumber(const RequestJson& object, const char* key, const std::string& where)
{
    if (!object[key].is_number())
    {
        throw ConfigError(where, fmt::format("{} is no number", key));
    }
    return object[key].get<double>();
}

const RequestJson&
ReadList(const RequestJson& object, const char* key, const std::string& where)
{
    const RequestJson& list = object[key];
    if (!list.is_array())
    {
        throw ConfigError(where, fmt::format("{} is no list", key));
    }
    return list;
}

RequestJson
ParseLine(const std::string& line, const std::string& where)
{
    CheckJsonNesting(line, where);
    RequestJson object = RequestJson::parse(line, nullptr, false);
    if (object.is_discarded())
    {
        throw ConfigError(where, "is no JSON; write one object on each line");
    }
    return object;
}

/// Shared, since requests are copied on their way through the cluster.
std::shared_ptr<const std::vector<uint64_t>>
ReadHashIds(const RequestJson& object, const std::string& where)
{
    std::vector<uint64_t> ids;
    for (const RequestJson& id : ReadList(object, "hash_ids", where))
    {
        if (!id.is_number_unsigned())
        {
            throw ConfigError(where, "hash_ids holds what is no whole number");
        }
        ids.push_back(id.get<uint64_t>());
    }
    return std::make_shared<const std::vector<uint64_t>>(std::move(ids));
}

// In seconds, which the clock takes.
constexpr double NS = 1e-9;
constexpr double MS = 1e-3;

} // namespace

JsonRequests::JsonRequests(const RequestTraceOptions& options, TableLines lines)
    : m_options(options)
    , m_lines(std::move(lines))
    , m_clock(options.speed)
{
}

std::optional<Request>
JsonRequests::Give(Request request)
{
    // Next has asked already, but NextAfter has not.
    if (IsEnough(m_options, m_given))
    {
        return std::nullopt;
    }
    request.id = m_given++;
    return request;
}

std::optional<Request>
JsonRequests::Next()
{
    if (!m_hasLine || IsEnough(m_options, m_given))
    {
        return std::nullopt;
    }
    const std::string where = m_lines.Where();
    const RequestJson object = ParseLine(m_lines.Line(), where);
    Request request;
    // The keys tell the form, line by line: sessions and single requests may stand in one file.
    if (object.contains("sub_requests"))
    {
        request = ReadSession(where);
    }
    else if (object.contains("hash_ids"))
    {
        CheckKeys(object, {"timestamp", "input_length", "output_length", "hash_ids"}, where);
        request.arrival = m_clock.At(ReadNumber(object, "timestamp", where) * MS, where);
        request.input = ReadTokens(object, "input_length", where);
        request.output = ReadTokens(object, "output_length", where);
        request.hashIds = ReadHashIds(object, where);
    }
    else
    {
        CheckKeys(object, {"input_toks", "output_toks", "arrival_time_ns"}, where);
        request.arrival = m_clock.At(ReadNumber(object, "arrival_time_ns", where) * NS, where);
        request.input = ReadTokens(object, "input_toks", where);
        request.output = ReadTokens(object, "output_toks", where);
    }
    CheckTokens(request, where);
    m_hasLine = m_lines.Next();
    return Give(std::move(request));
}

/// The first of its requests; the others wait.
Request
JsonRequests::ReadSession(const std::string& where)
{
    const RequestJson object = ParseLine(m_lines.Line(), where);
    CheckKeys(object, {"session_id", "arrival_time_ns", "sub_requests"}, where);
    Request first;
    first.arrival = m_clock.At(ReadNumber(object, "arrival_time_ns", where) * NS, where);
    first.session = ++m_sessionCount;
    std::deque<Later> later;
    SimTime pause;
    for (const RequestJson& one : ReadList(object, "sub_requests", where))
    {
        CheckKeys(one, {"input_toks", "output_toks", "tool_duration_ns"}, where);
        Request request;
        request.input = ReadTokens(one, "input_toks", where);
        request.output = ReadTokens(one, "output_toks", where);
        CheckTokens(request, where);
        // The tool of a request runs after its answer, so its duration is the pause before the next
        // one.
        later.push_back({request.input, request.output, pause});
        pause = m_clock.Duration(ReadNumber(one, "tool_duration_ns", where) * NS, where);
    }
    if (later.empty())
    {
        throw ConfigError(where, "sub_requests is empty; write one request or more");
    }
    first.input = later.front().input;
    first.output = later.front().output;
    later.pop_front();
    if (!later.empty())
    {
        m_sessions.emplace(first.session, std::move(later));
    }
    return first;
}

std::optional<Request>
JsonRequests::NextAfter(const Request& ended, SimTime end)
{
    const auto session = m_sessions.find(ended.session);
    // Sessions count from 1. A request outside sessions has the number 0.
    if (ended.session == 0 || session == m_sessions.end())
    {
        return std::nullopt;
    }
    const Later later = session->second.front();
    session->second.pop_front();
    if (session->second.empty())
    {
        m_sessions.erase(session);
    }
    Request request;
    request.arrival = end + later.pause;
    request.input = later.input;
    request.output = later.output;
    request.session = ended.session;
    return Give(std::move(request));
}

} // namespace nadi
