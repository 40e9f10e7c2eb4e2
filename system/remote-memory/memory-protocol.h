// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/protocol.h"
#include "system/remote-memory/memory-servers.h"

namespace nadi
{

/// What loads and stores of groups cost at NPUs and memories. The hardware moves the data, so an
/// NPU adds nothing: neither the endpoint delay nor what a communication library costs. A memory
/// serves what it reads and writes (MemoryServers).
class MemoryProtocol : public Protocol
{
  public:
    /// The servers outlive it.
    explicit MemoryProtocol(MemoryServers& servers)
        : Protocol(Start::AtOnce)
        , m_servers(servers)
    {
    }

    SimTime EndDelay(const LibraryMessage& /*message*/, PlanStep::Action /*action*/) const override
    {
        return {};
    }

    SimTime LocalTime(PlanStep::Action /*action*/, Bytes /*size*/) const override
    {
        return {};
    }

    SimTime StepDelay() const override
    {
        return {};
    }

    SimTime EndOfLocalWork(const LocalTask& task) const override
    {
        return m_servers.Serve(task.at, task.begin, task.size);
    }

  private:
    MemoryServers& m_servers;
};

} // namespace nadi
