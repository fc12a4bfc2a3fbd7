// The memory check of the traced build: finds accesses that are wrong in any order of the threads,
// even if this run's order hides the error. The host requests it (Request::check).
//
// - A race in shared memory: two threads of a block access the same byte, at least one of them
//   writes, and nothing orders them. Barriers order all threads of a block, __syncwarp orders the
//   lanes that it names. Votes and shuffles order nothing: CUDA does not promise that they make
//   memory visible. Two atomic functions on the same byte are no race.
// - A race in device memory, if the host requests that, too: the same between any threads of the
//   launch, and at least one access is a plain store. Loads never race with atomic functions:
//   kernels read cells that other threads change by atomics, and always get a complete value.
// - A read of an uninitialised byte: in shared memory since the block began, in device memory since
//   it was allocated.
// - An index just past a shared variable. Under the check, variables are kSharedGap bytes apart. A
//   dynamic array ends where the launch says, which may be at its start.
//
// A finding does not stop the kernel, which continues as it would on a GPU.
//
// A race also says what the stores of the element do (StoreEffect), because a kernel may declare
// that a race is harmless for one reason: all threads store the same value, values only fall, or one
// thread alone stores. The hook comes before the store, so its value is read at the next access.
//
// Vector clocks record the order of threads. A thread's clock counts the __syncwarp calls in which
// it took part. Each thread knows for every lane of its warp how many of that lane's calls precede
// its own present. Between warps one number per block is enough: its interval, which counts the
// barriers.

#pragma once

#include "request.h"

CCL_RUNTIME_BEGIN
namespace ccl {

enum AccessKind : u32 { kLoad, kStore, kAtomic };

enum FindingKind : u32 {
  kSharedRace,
  kSharedUnwritten,
  kDeviceUnwritten,
  kSharedBeyond,
  kDeviceRace,
  kUndefined,    // undefined.h
  kArrayBeyond,  // likewise
};

// What stores and atomics do that race, as bits of Finding::effects.
enum StoreEffect : u32 {
  kDiffers = 1,       // two threads store different values
  kRises = 2,         // a store raises a value
  kFalls = 4,         // a store lowers one
  kSecondWriter = 8,  // two threads store
};

// Time and thread of an access to a byte. Interval 0 means never.
struct Stamp {
  u32 interval;
  u32 clock : 22;
  u32 thread : 10;
};

// Notes about one byte of shared memory. Without a race so far, all stores are ordered, so the last
// one is enough. Loads need not be ordered among themselves, nor do atomics: two are kept, of
// different warps if possible. A thread races if it is not ordered after one of these. No race is
// missed if lanes only synchronise as whole warps; if parts of a warp synchronise, a race can be
// missed.
struct SharedByte {
  Stamp store;
  Stamp atomics[2];
  Stamp loads[2];
  u32 effects;  // of the last store, and of those that are not ordered before it
};

// The same for device memory, which all blocks access.
struct DeviceStamp {
  Stamp stamp;
  u32 block;
  i32 site;  // from site_origin()
};

struct DeviceNote {
  DeviceStamp store;
  DeviceStamp atomics[2];
  DeviceStamp loads[2];
  u32 effects;
};

constexpr u32 kNoteBytes = 84;
static_assert(sizeof(DeviceNote) == kNoteBytes, "as memcheck.py has it");

constexpr u8 kWritten = 1;      // bit for a byte of device memory
constexpr u8 kNotedByByte = 2;  // bit for the first byte of a word

struct SharedExtent {
  u32 offset;
  u32 bytes;
  u64 variable;  // address of its control object
};

// An access to check.
struct Access {
  AccessKind kind;
  u32 bytes;
  u64 address;
  u64 site;  // address in the code, which identifies the access in the kernel
  u64 block;
  u32 resident;
  u32 slot;
  u32 thread;  // in its block
};

constexpr u32 kMostStoreBytes = 16;

// The last store or atomic, whose new value is not known yet.
struct PendingStore {
  u64 address;  // 0 for none
  u32 bytes;
  bool first;        // nothing was there before
  bool second;       // another thread's store is not ordered before it
  Finding *finding;  // its race, or null
  u32 *effects[kMostStoreBytes];  // of the notes about its bytes
  u8 before[kMostStoreBytes];
};

constexpr u32 kSharedGap = 1024;        // free bytes after each shared variable
constexpr u32 kMostSharedExtents = 64;  // most variables with checked ends

struct Memcheck {
  Check *check;       // null to check nothing
  SharedByte *bytes;  // of shared memory, from resident block 0 on
  u32 *intervals;     // of each resident block
  u32 *clocks;        // 32 for each thread, one for each lane of its warp
  PendingStore pending;
  u32 extent_count;
  SharedExtent extents[kMostSharedExtents];
};

extern "C" CCL_HIDDEN Memcheck ccl_memcheck;
CCL_VARIABLE(Memcheck ccl_memcheck;)

// Addresses in the code are stored relative to this one.
inline u64 site_origin() { return reinterpret_cast<u64>(&ccl_memcheck); }

CCL_INLINE bool checking() {
#if CCL_TRACED
  return CCL_UNLIKELY(ccl_memcheck.check != nullptr);
#else
  return false;
#endif
}

// ---------------------------------------------------------------------------------------------
// What orders threads

inline void begin_memcheck(Check *check, u32 resident_blocks, u32 slots) {
  Memcheck &m = ccl_memcheck;
  m.check = check;
  m.pending.address = 0;
  m.extent_count = 0;
  if (!check) return;
  check->count = 0;
  for (u32 block = 0; block < resident_blocks; ++block) m.intervals[block] = 1;
  for (u32 slot = 0; slot < slots; ++slot)
    for (u32 lane = 0; lane < 32; ++lane) m.clocks[slot * 32 + lane] = lane == (slot & 31);
}

inline void order_block(u32 resident) {
  if (checking()) ++ccl_memcheck.intervals[resident];
}

inline void order_lanes(u32 warp, u32 lanes) {
  if (!checking()) return;
  u32 *clocks = ccl_memcheck.clocks + warp * 1024;
  u32 known[32] = {};
  for (u32 lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1)
      for (u32 other = 0; other < 32; ++other)
        if (clocks[lane * 32 + other] > known[other]) known[other] = clocks[lane * 32 + other];
  for (u32 lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1) {
      __builtin_memcpy(clocks + lane * 32, known, sizeof known);
      ++clocks[lane * 32 + lane];
    }
}

// ---------------------------------------------------------------------------------------------
// Findings

// Returns the finding of a place in the code, to be filled if it is new: its `times` is 1. Returns
// null if there is no room.
inline Finding *find(FindingKind kind, const Access &access) {
  Check &check = *ccl_memcheck.check;
  for (u64 i = 0; i < check.count; ++i) {
    Finding &known = check.findings[i];
    if (known.kind != kind || known.site != access.site) continue;
    ++known.times;
    return &known;
  }
  if (check.count == check.capacity) return nullptr;
  Finding &finding = check.findings[check.count++];
  finding = {};
  finding.kind = kind;
  finding.block = access.block;
  finding.thread = access.thread;
  finding.access = access.kind;
  finding.bytes = access.bytes;
  finding.site = access.site;
  finding.times = 1;
  return &finding;
}

// Whether an earlier access is ordered before the present of this access's thread.
inline bool is_ordered(Stamp earlier, Stamp now, const u32 *clocks) {
  if (earlier.interval != now.interval || earlier.thread == now.thread) return true;
  return earlier.thread >> 5 == now.thread >> 5 && earlier.clock <= clocks[earlier.thread & 31];
}

// Whether an earlier access is the same thread's, and it has not synchronised since.
inline bool is_same_stretch(Stamp earlier, Stamp now) {
  return earlier.interval == now.interval && earlier.clock == now.clock &&
         earlier.thread == now.thread;
}

inline bool is_same_stretch(const DeviceStamp &earlier, const DeviceStamp &now) {
  return earlier.block == now.block && is_same_stretch(earlier.stamp, now.stamp);
}

// ---------------------------------------------------------------------------------------------
// Effects of stores

inline i64 read_number(const void *bytes, u32 size) {
  u64 number = 0;
  __builtin_memcpy(&number, bytes, size);
  u32 unused = 64 - 8 * size;
  return static_cast<i64>(number << unused) >> unused;
}

// Reads what the last store stored, and notes its effects.
inline void settle_store() {
  if (!checking() || !ccl_memcheck.pending.address) return;
  PendingStore &store = ccl_memcheck.pending;
  const void *now = reinterpret_cast<const void *>(store.address);
  u32 effects = store.second ? kSecondWriter : 0;
  if (store.second && __builtin_memcmp(store.before, now, store.bytes)) effects |= kDiffers;
  if (!store.first && store.bytes <= 8) {
    i64 old = read_number(store.before, store.bytes), stored = read_number(now, store.bytes);
    effects |= stored > old ? kRises : stored < old ? kFalls : 0;
  }
  for (u32 i = 0; i < store.bytes; ++i) *store.effects[i] |= effects;
  if (store.finding) store.finding->effects |= effects;
  store.address = 0;
}

inline void end_memcheck() { settle_store(); }

// Collects what is noted about the bytes of an access: the effects of their earlier stores, and what
// is not ordered before it.
struct NotedAccess {
  u32 count = 0;
  u32 *effects[kMostStoreBytes];
  bool second = false;    // another thread's store or atomic
  bool repeated = false;  // this thread's, since it last synchronised

  template <class Note, class When>
  void add(Note &note, u32 bytes, const When &now, const u32 *clocks) {
    for (u32 i = 0; i < bytes; ++i) effects[count++] = &note.effects;
    const When *stores[] = {&note.store, &note.atomics[0], &note.atomics[1]};
    for (const When *earlier : stores) {
      second |= !is_ordered(*earlier, now, clocks);
      repeated |= is_same_stretch(*earlier, now);
    }
  }

  // Adds the effects so far to the access's race, if it is one. Those of a store follow.
  void finish(const Access &access, bool first, Finding *race) {
    bool stores = access.kind != kLoad;
    for (u32 i = 0; i < count; ++i) {
      if (stores && !second && !repeated) *effects[i] = 0;
      if (race) race->effects |= *effects[i];
    }
    if (!stores) return;
    PendingStore &store = ccl_memcheck.pending;
    store.address = access.address;
    store.bytes = access.bytes;
    store.first = first;
    store.second = second;
    store.finding = race;
    __builtin_memcpy(store.effects, effects, count * sizeof *effects);
    __builtin_memcpy(store.before, reinterpret_cast<const void *>(access.address), access.bytes);
  }
};

// ---------------------------------------------------------------------------------------------
// Device memory

// Barriers order the threads of a block; nothing orders blocks.
inline bool is_ordered(const DeviceStamp &earlier, const DeviceStamp &now, const u32 *clocks) {
  if (earlier.stamp.interval == 0) return true;
  return earlier.block == now.block && is_ordered(earlier.stamp, now.stamp, clocks);
}

// Returns the last noted access that races with this one, or null.
inline const DeviceStamp *rival(const DeviceNote &note, AccessKind kind, const DeviceStamp &now,
                                const u32 *clocks, AccessKind &rival_kind) {
  const DeviceStamp *stamps[] = {&note.store, &note.atomics[0], &note.atomics[1], &note.loads[0],
                                 &note.loads[1]};
  constexpr AccessKind kinds[] = {kStore, kAtomic, kAtomic, kLoad, kLoad};
  for (u32 i = 0; i < (kind == kStore ? 5 : 1); ++i) {
    if (is_ordered(*stamps[i], now, clocks)) continue;
    rival_kind = kinds[i];
    return stamps[i];
  }
  return nullptr;
}

inline void remember(DeviceNote &note, AccessKind kind, const DeviceStamp &now, const u32 *clocks) {
  if (kind == kStore) {
    note.store = now;
    return;
  }
  DeviceStamp(&kept)[2] = kind == kLoad ? note.loads : note.atomics;
  bool same = kept[0].block == kept[1].block && kept[0].stamp.thread >> 5 == kept[1].stamp.thread >> 5;
  if (is_ordered(kept[0], now, clocks))
    kept[0] = now;
  else if (same || is_ordered(kept[1], now, clocks))
    kept[1] = now;
}

// The notes of a buffer: first of its words, then of its bytes. A word has one note as long as all
// accesses are to the whole word.
struct DeviceNotes {
  DeviceNote *words;
  DeviceNote *bytes;
  u8 *written;  // flags of bytes; the first byte of a word also has kNotedByByte

  CCL_INLINE DeviceNote &word(u64 offset) { return words[offset / 4]; }
  CCL_INLINE bool is_whole(u64 offset) { return !(written[offset & ~3ull] & kNotedByByte); }

  // Returns the note of a byte, which is separate from now on.
  CCL_INLINE DeviceNote &byte(u64 offset, u64 size) {
    u64 first = offset & ~3ull;
    if (is_whole(offset)) {
      for (u64 i = first; i < first + 4 && i < size; ++i) bytes[i] = word(offset);
      written[first] |= kNotedByByte;
    }
    return bytes[offset];
  }
};

inline void check_device_race(const Access &access, u64 buffer, u64 offset, u64 size, bool first) {
  const Memcheck &m = ccl_memcheck;
  if (!m.check->notes) return;
  const u32 *clocks = m.clocks + access.slot * 32;
  DeviceStamp now = {{m.intervals[access.resident], clocks[access.slot & 31], access.thread},
                     static_cast<u32>(access.block),
                     static_cast<i32>(access.site - site_origin())};
  DeviceNote *words = reinterpret_cast<DeviceNote *>(m.check->notes[buffer]);
  DeviceNotes notes = {words, words + (size + 3) / 4, m.check->written[buffer]};
  DeviceStamp other;
  AccessKind other_kind = kLoad;
  bool race = false;
  NotedAccess noted;
  for (u64 at = offset, end = offset + access.bytes; at < end;) {
    bool whole = at % 4 == 0 && at + 4 <= end && notes.is_whole(at);
    DeviceNote &note = whole ? notes.word(at) : notes.byte(at, size);
    at += whole ? 4 : 1;
    if (!race)
      if (const DeviceStamp *found = rival(note, access.kind, now, clocks, other_kind)) {
        race = true;
        other = *found;
      }
    noted.add(note, whole ? 4 : 1, now, clocks);
    remember(note, access.kind, now, clocks);
  }
  Finding *finding = race ? find(kDeviceRace, access) : nullptr;
  noted.finish(access, first, finding);
  if (finding && finding->times == 1) {
    finding->buffer = buffer;
    finding->offset = static_cast<i64>(offset);
    finding->other = other.stamp.thread;
    finding->other_block = other.block;
    finding->other_access = other_kind;
    finding->other_site = site_origin() + static_cast<u64>(static_cast<i64>(other.site));
  }
}

// `offset` is in a buffer of `size` bytes.
inline void check_device(const Access &access, u64 buffer, u64 offset, u64 size) {
  u8 *written = ccl_memcheck.check->written[buffer] + offset;
  bool unwritten = false;
  for (u32 i = 0; i < access.bytes; ++i) unwritten |= !(written[i] & kWritten);
  check_device_race(access, buffer, offset, size, unwritten);
  if (unwritten && access.kind != kStore)
    if (Finding *finding = find(kDeviceUnwritten, access))
      if (finding->times == 1) {
        finding->buffer = buffer;
        finding->offset = static_cast<i64>(offset);
      }
  if (access.kind != kLoad)
    for (u32 i = 0; i < access.bytes; ++i) written[i] |= kWritten;
}

// ---------------------------------------------------------------------------------------------
// Shared memory

// Clears the notes of bytes: a block begins, or a variable was placed.
inline void forget_shared(u64 offset, u64 bytes) {
  if (checking()) __builtin_memset(ccl_memcheck.bytes + offset, 0, bytes * sizeof(SharedByte));
}

inline void watch_extent(u32 offset, u32 bytes, u64 variable) {
  Memcheck &m = ccl_memcheck;
  if (!checking() || m.extent_count == kMostSharedExtents) return;
  m.extents[m.extent_count++] = {offset, bytes, variable};
}

// Returns the variable at an offset in the block's memory, or the nearest one.
inline const SharedExtent *nearest_extent(i64 offset) {
  const Memcheck &m = ccl_memcheck;
  const SharedExtent *nearest = nullptr;
  i64 least = 0;
  for (u32 i = 0; i < m.extent_count; ++i) {
    i64 before = static_cast<i64>(m.extents[i].offset) - offset;
    i64 behind = offset - m.extents[i].offset - m.extents[i].bytes + 1;
    i64 distance = before > behind ? before : behind;
    if (distance <= 0) return &m.extents[i];
    if (nearest && distance >= least) continue;
    nearest = &m.extents[i];
    least = distance;
  }
  return nearest;
}

inline void remember(Stamp (&stamps)[2], Stamp now, const u32 *clocks) {
  for (Stamp &stamp : stamps)
    if (is_ordered(stamp, now, clocks)) {
      stamp = now;
      return;
    }
  if (stamps[0].thread >> 5 == stamps[1].thread >> 5) stamps[1] = now;
}

// Returns the last access to a byte that races with this one, or null.
inline const Stamp *rival(const SharedByte &byte, AccessKind kind, Stamp now, const u32 *clocks,
                          AccessKind &rival_kind) {
  const Stamp *stamps[] = {&byte.store, &byte.atomics[0], &byte.atomics[1], &byte.loads[0],
                           &byte.loads[1]};
  constexpr AccessKind kinds[] = {kStore, kAtomic, kAtomic, kLoad, kLoad};
  for (u32 i = 0; i < 5; ++i) {
    if ((kinds[i] == kind && kind != kStore) || is_ordered(*stamps[i], now, clocks)) continue;
    rival_kind = kinds[i];
    return stamps[i];
  }
  return nullptr;
}

inline void remember(SharedByte &byte, AccessKind kind, Stamp now, const u32 *clocks) {
  if (kind == kStore)
    byte.store = now;
  else
    remember(kind == kLoad ? byte.loads : byte.atomics, now, clocks);
}

inline Finding *find_shared(FindingKind kind, const Access &access, i64 offset,
                            const SharedExtent &extent) {
  Finding *finding = find(kind, access);
  if (!finding || finding->times > 1) return finding;
  finding->offset = offset;
  finding->size = extent.bytes;
  finding->variable = extent.variable;
  return finding;
}

// `offset` is in the memory of the access's block, `from_first` in that of resident block 0.
inline void check_shared(const Access &access, i64 offset, u64 from_first) {
  const Memcheck &m = ccl_memcheck;
  const SharedExtent *extent = nearest_extent(offset);
  if (!extent) return;
  i64 inside = offset - extent->offset;
  if (inside < 0 || inside + access.bytes > extent->bytes) {
    if (m.extent_count == kMostSharedExtents) return;  // the variable may be unchecked
    find_shared(kSharedBeyond, access, inside, *extent);
    return;
  }
  const u32 *clocks = m.clocks + access.slot * 32;
  Stamp now = {m.intervals[access.resident], clocks[access.slot & 31], access.thread};
  bool unwritten = false;
  const Stamp *other = nullptr;
  AccessKind other_kind = kLoad;
  NotedAccess noted;
  for (u32 i = 0; i < access.bytes; ++i) {
    SharedByte &byte = m.bytes[from_first + i];
    noted.add(byte, 1, now, clocks);
    unwritten |= byte.store.interval == 0 && byte.atomics[0].interval == 0;
    if (!other) other = rival(byte, access.kind, now, clocks, other_kind);
  }
  if (unwritten && access.kind != kStore) find_shared(kSharedUnwritten, access, inside, *extent);
  Finding *race = other ? find_shared(kSharedRace, access, inside, *extent) : nullptr;
  if (race && race->times == 1) {
    race->other = other->thread;
    race->other_access = other_kind;
  }
  noted.finish(access, unwritten, race);
  for (u32 i = 0; i < access.bytes; ++i)
    remember(m.bytes[from_first + i], access.kind, now, clocks);
}

}  // namespace ccl
CCL_RUNTIME_END
