// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-shared-buffer-model-run.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t MODEL_FRAME = 1000;

} // namespace

FabricSharedBufferModelRun::Counts&
FabricSharedBufferModelRun::Counts::operator+=(const Counts& other)
{
    calm += other.calm;
    pauses += other.pauses;
    resumes += other.resumes;
    drops += other.drops;
    return *this;
}

FabricSharedBufferModelRun::FabricSharedBufferModelRun(uint64_t seed)
    : m_random(seed)
    , m_eighths(uint64_t{1} << m_random.Below(6))
    , m_settings(MakeSettings(m_random, m_eighths))
    , m_model(m_settings, m_eighths)
    , m_prompt(m_settings)
    , m_late(m_settings)
{
}

FabricBufferSettings
FabricSharedBufferModelRun::MakeSettings(FabricTestRandom& random, uint64_t eighths)
{
    FabricBufferSettings settings;
    settings.isLossless = random.Happens(70);
    settings.alpha = static_cast<double>(eighths) / 8;
    settings.egressAlpha = settings.alpha;
    settings.resumeOffset = random.Below(3) * random.Below(2 * MODEL_FRAME);
    settings.fullFrame = MODEL_FRAME;
    settings.priorities = static_cast<uint32_t>(1 + random.Below(3));
    for (uint64_t ports = 1 + random.Below(5); ports > 0; --ports)
    {
        settings.headroom.push_back(random.Below(3 * MODEL_FRAME));
    }
    settings.size = FabricSharedBuffer::ComputeLeastSize(settings) + random.Below(30 * MODEL_FRAME);
    return settings;
}

FabricIngress
FabricSharedBufferModelRun::MakeIngress(const Name& name)
{
    FabricIngress ingress;
    ingress.port = static_cast<uint16_t>(name.first);
    ingress.priority = static_cast<FabricPriority>(name.second);
    return ingress;
}

FabricSharedBufferModelRun::Names
FabricSharedBufferModelRun::MakeNames(const std::vector<FabricIngress>& ingresses)
{
    Names names;
    for (const FabricIngress& ingress : ingresses)
    {
        names.emplace_back(ingress.port, ingress.priority);
    }
    return names;
}

void
FabricSharedBufferModelRun::Run(uint32_t instants)
{
    for (uint32_t instant = 0; instant < instants && m_difference.empty(); ++instant)
    {
        const bool isDraining = instant / 100 % 2 == 1;
        ReleaseSome(isDraining ? 60 : 20);
        const std::vector<StoredFrame> frames = DrawArrivals();
        if (!frames.empty())
        {
            Arrive(frames);
        }
        Resume();
        Compare();
    }
}

void
FabricSharedBufferModelRun::ReleaseSome(uint64_t percent)
{
    std::vector<StoredFrame> left;
    for (const StoredFrame& frame : m_stored)
    {
        if (!m_random.Happens(percent))
        {
            left.push_back(frame);
            continue;
        }
        m_model.Release(frame.ingress, frame.bytes);
        m_prompt.Release(MakeIngress(frame.ingress), frame.bytes);
        m_egressBytes[frame.egress] -= frame.bytes;
        m_untold.push_back(frame);
    }
    m_stored = left;
}

void
FabricSharedBufferModelRun::TellReleases()
{
    for (const StoredFrame& frame : m_untold)
    {
        m_late.Release(MakeIngress(frame.ingress), frame.bytes);
    }
    m_untold.clear();
    m_lateEgressBytes = m_egressBytes;
}

std::vector<FabricSharedBufferModelRun::StoredFrame>
FabricSharedBufferModelRun::DrawArrivals()
{
    std::vector<StoredFrame> frames;
    for (uint32_t port = 0; port < m_settings.headroom.size(); ++port)
    {
        if (m_random.Happens(40))
        {
            const auto priority = static_cast<uint32_t>(1 + m_random.Below(m_settings.priorities));
            const auto bytes = static_cast<uint32_t>(
                m_random.Happens(50) ? MODEL_FRAME : 1 + m_random.Below(MODEL_FRAME));
            const auto egress = static_cast<uint32_t>(m_random.Below(EGRESSES));
            frames.push_back({{port, priority}, bytes, egress});
        }
    }
    return frames;
}

void
FabricSharedBufferModelRun::Arrive(const std::vector<StoredFrame>& frames)
{
    uint64_t bytes = 0;
    uint64_t egressBytes = 0;
    for (const StoredFrame& frame : frames)
    {
        bytes += frame.bytes;
        egressBytes = std::max(egressBytes, m_lateEgressBytes[frame.egress]);
    }
    const bool isCalm = m_late.IsSurelyCalm(bytes, egressBytes);
    m_counts.calm += isCalm;
    if (!isCalm)
    {
        TellReleases();
    }
    const uint64_t most = m_model.GetMostStoredBytes();
    m_model.BeginArrivals();
    m_prompt.BeginArrivals();
    m_late.BeginArrivals();
    for (const StoredFrame& frame : frames)
    {
        Store(frame, isCalm);
    }
    Expect(!isCalm || m_model.GetMostStoredBytes() == most, "a new most while calm");
    Pause(isCalm);
}

void
FabricSharedBufferModelRun::Store(const StoredFrame& frame, bool isCalm)
{
    const FabricIngress ingress = MakeIngress(frame.ingress);
    uint64_t& egressBytes = m_egressBytes[frame.egress];
    uint64_t& lateEgressBytes = m_lateEgressBytes[frame.egress];
    const bool isStored = m_model.Store(frame.ingress, frame.bytes, egressBytes);
    Expect(isStored == m_prompt.Store(ingress, frame.bytes, egressBytes), "stored");
    Expect(isStored == m_late.Store(ingress, frame.bytes, lateEgressBytes), "stored, told late");
    Expect(isStored || !isCalm, "a drop while calm");
    m_counts.drops += !isStored;
    if (isStored)
    {
        egressBytes += frame.bytes;
        lateEgressBytes += frame.bytes;
        m_stored.push_back(frame);
    }
}

void
FabricSharedBufferModelRun::Pause(bool isCalm)
{
    const Names names = m_model.TakePauses();
    m_counts.pauses += names.size();
    Expect(names == MakeNames(m_prompt.TakePauses()), "pauses");
    Expect(isCalm ? names.empty() : names == MakeNames(m_late.TakePauses()), "pauses, told late");
}

void
FabricSharedBufferModelRun::Resume()
{
    const Names names = m_model.TakeResumes();
    m_counts.resumes += names.size();
    Expect(names == MakeNames(m_prompt.TakeResumes()), "resumes");
    if (m_late.IsPausing())
    {
        TellReleases();
    }
    Expect(names == MakeNames(m_late.TakeResumes()), "resumes, told late");
}

void
FabricSharedBufferModelRun::Compare()
{
    bool isPausing = false;
    for (uint32_t port = 0; port < m_settings.headroom.size(); ++port)
    {
        for (uint32_t priority = 1; priority <= m_settings.priorities; ++priority)
        {
            const Name name(port, priority);
            Expect(m_prompt.GetBytes(MakeIngress(name)) == m_model.GetBytes(name), "bytes");
            Expect(m_prompt.IsPaused(MakeIngress(name)) == m_model.IsPaused(name), "paused");
            isPausing = isPausing || m_model.IsPaused(name);
        }
    }
    Expect(m_prompt.IsPausing() == isPausing, "somebody is paused");
    Expect(m_prompt.GetStoredBytes() == m_model.GetStoredBytes(), "stored bytes");
    Expect(m_prompt.GetMostStoredBytes() == m_model.GetMostStoredBytes(), "the most");
    Expect(m_late.GetMostStoredBytes() == m_model.GetMostStoredBytes(), "the most, told late");
    Expect(m_model.GetStoredBytes() <= m_settings.size, "the size");
}

void
FabricSharedBufferModelRun::Expect(bool holds, const char* what)
{
    if (!holds && m_difference.empty())
    {
        m_difference = what;
    }
}

} // namespace ns3
