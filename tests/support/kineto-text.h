// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-trace.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace nadi::test
{

/// Builds a Kineto trace of a few events. Times are microseconds.
class KinetoText
{
  public:
    using Json = nlohmann::json;

    static constexpr int64_t THREAD = 100;

    KinetoText& Operator(const std::string& name,
                         double start,
                         double duration,
                         Json args = Json::object(),
                         int64_t thread = THREAD)
    {
        return Add("cpu_op", name, start, duration, std::move(args), thread);
    }

    /// A call of the runtime; those with the same number as work of the device launch it.
    KinetoText& Call(const std::string& name,
                     double start,
                     double duration,
                     uint64_t correlation,
                     int64_t thread = THREAD)
    {
        return Add("cuda_runtime", name, start, duration, {{"correlation", correlation}}, thread);
    }

    KinetoText& Kernel(const std::string& name,
                       double start,
                       double duration,
                       uint64_t correlation,
                       uint32_t stream,
                       const Json& more = Json::object())
    {
        return AddWork("kernel", name, start, duration, correlation, stream, more);
    }

    KinetoText& Copy(double start, double duration, uint64_t correlation, uint32_t stream)
    {
        return AddWork("gpu_memcpy", "Memcpy", start, duration, correlation, stream, {});
    }

    /// A launch of a microsecond and its kernel.
    KinetoText& Launch(const std::string& kernel,
                       double launch,
                       double start,
                       double duration,
                       uint64_t correlation,
                       uint32_t stream,
                       const Json& more = Json::object())
    {
        return Call("cudaLaunchKernel", launch, 1, correlation)
            .Kernel(kernel, start, duration, correlation, stream, more);
    }

    KinetoText& Add(const std::string& category,
                    const std::string& name,
                    double start,
                    double duration,
                    Json args,
                    const Json& thread)
    {
        m_events.push_back({{"ph", "X"},
                            {"cat", category},
                            {"name", name},
                            {"pid", 1},
                            {"tid", thread},
                            {"ts", start},
                            {"dur", duration},
                            {"args", std::move(args)}});
        return *this;
    }

    /// Something that happens at an instant (phase "i"), as events of the allocator do.
    KinetoText& Instant(const std::string& name, double at, Json args)
    {
        m_events.push_back({{"ph", "i"},
                            {"cat", "cpu_instant_event"},
                            {"s", "t"},
                            {"name", name},
                            {"pid", 1},
                            {"tid", THREAD},
                            {"ts", at},
                            {"args", std::move(args)}});
        return *this;
    }

    KinetoText& Distributed(uint32_t rank, uint32_t worldSize, const Json& groups = Json::array())
    {
        m_distributed = {{"rank", rank}, {"world_size", worldSize}, {"pg_config", groups}};
        return *this;
    }

    std::string Text() const
    {
        Json trace{{"schemaVersion", 1}, {"traceEvents", m_events}};
        if (!m_distributed.is_null())
        {
            trace["distributedInfo"] = m_distributed;
        }
        return trace.dump();
    }

    KinetoTrace Parse() const
    {
        return ParseKinetoTrace(Text(), "kineto.json");
    }

  private:
    KinetoText& AddWork(const std::string& category,
                        const std::string& name,
                        double start,
                        double duration,
                        uint64_t correlation,
                        uint32_t stream,
                        const Json& more)
    {
        Json args{{"correlation", correlation}, {"stream", stream}, {"device", 0}};
        args.update(more.is_null() ? Json::object() : more);
        return Add(category, name, start, duration, std::move(args), stream);
    }

    Json m_events = Json::array();
    Json m_distributed;
};

} // namespace nadi::test
