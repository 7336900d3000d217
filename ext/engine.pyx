"""What every sampling search shares: worlds of an observation, the statistics of the root, and a resumable loop.

The objective WIN is 0.98 x share of first place + 0.02 x (1 / n + (own score - mean score) / 1000), for a single seat
0.98 x (1 where it reaches what it aims at, else 0) + 0.02 x own score / 100; SCORE is the own final score, in the tree
as score / 64. Values add up as fixed-point integers, so that their sum knows no order.
"""
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from ext.game cimport C_MAX_MOVES, C_MAX_SEATS, Game, Observation
from ext.rng cimport Stream, mix2, seed_stream


cdef extern from "<time.h>" nogil:
    ctypedef long time_t
    struct timespec:
        time_t tv_sec
        long tv_nsec
    int CLOCK_MONOTONIC
    int clock_gettime(int clock, timespec* time)

cdef extern from "<sched.h>" nogil:
    int sched_yield()


cdef int64_t now() noexcept nogil:
    """Nanoseconds of the monotonic clock."""
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return <int64_t> time.tv_sec * 1000000000 + time.tv_nsec


cdef class Engine:
    """A search for the seat that owns an observation. `tree` sets independent searches of one seed apart.

    `allowed` are the root moves that may be chosen, None for all.
    """

    def __cinit__(
        self, Game game, Observation observation, int objective, seed, int tree=0, int depth=1000, *, allowed=None,
        **more
    ):
        if observation.game is not game:
            raise ValueError("the observation belongs to another game")
        if depth < 1:
            raise ValueError("depth must be at least 1")
        self.game = game
        self.observation = observation
        self.seat = game.observer(observation)
        self.objective = objective
        self.seed = mix2(seed & 0xFFFFFFFFFFFFFFFF, tree)
        self.depth_limit = depth
        if self.seat not in game.pending_observation(observation):
            raise ValueError("the seat owes no decision")
        self.template = calloc(1, game.state_bytes)
        self.world = calloc(1, game.state_bytes)
        self.root = <RootMove*> calloc(game.max_moves, sizeof(RootMove))
        if self.template == NULL or self.world == NULL or self.root == NULL:
            raise MemoryError
        game.prepare(observation.data, self.template)
        self.imagine(0)
        self.n_root = game.list_moves(self.world, self.seat, self.buffer)
        self._look_ahead()
        if allowed is not None:
            self._allow(allowed)

    def __dealloc__(self):
        free(self.template)
        free(self.world)
        free(self.root)

    def _look_ahead(self):
        """Priors of the root moves: by the points they gain at once and in prospect."""
        cdef double gains[C_MAX_MOVES]
        cdef double total = 0
        cdef int i
        self.game.promise(self.world, self.seat, self.buffer, self.n_root, gains)
        for i in range(self.n_root):
            self.root[i].move = self.buffer[i]
            gains[i] = sqrt(1 + gains[i]) if gains[i] > 0 else 1
            total += gains[i]
        for i in range(self.n_root):
            self.root[i].prior = gains[i] / total

    def _allow(self, allowed):
        cdef int i, n = 0
        cdef double total = 0
        if all(self.root[i].move in allowed for i in range(self.n_root)):
            return
        for i in range(self.n_root):
            if self.root[i].move in allowed:
                self.root[n] = self.root[i]
                total += self.root[n].prior
                n += 1
        if n == 0:
            raise ValueError("no legal move is allowed")
        self.n_root = n
        for i in range(n):
            self.root[i].prior /= total

    cdef int offer(self, int turn, int depth) noexcept nogil:
        """The moves to choose from, in the buffer: at the root those that are allowed, elsewhere all legal ones."""
        cdef int i
        if depth > 0:
            return self.game.list_moves(self.world, turn, self.buffer)
        for i in range(self.n_root):
            self.buffer[i] = self.root[i].move
        return self.n_root

    cdef void imagine(self, uint64_t key) noexcept nogil:
        """A world of the observation, with the others' hidden commitments open again."""
        memcpy(self.world, self.template, self.game.state_bytes)
        self.game.sample(self.observation.data, key, self.world)
        self.game.reopen(self.world, self.seat)

    cdef void judge(self) noexcept nogil:
        """Shares of first place and values from the final scores."""
        cdef int32_t places[C_MAX_SEATS]
        cdef int s, n = self.game.seats
        cdef int winners = 0
        cdef int64_t sum_ = 0
        self.game.places(self.world, self.scores, places)
        for s in range(n):
            winners += places[s] == 1
            sum_ += self.scores[s]
        if n == 1:
            self.shares[0] = ONE if self.game.met(self.world, self.scores) else 0
            self.values[0] = <int64_t> self.scores[0] * (ONE >> 6)
            if self.objective != SCORE:
                self.values[0] = self.shares[0] * 98 // 100 + <int64_t> self.scores[0] * (ONE // 5000)
            return
        for s in range(n):
            self.shares[s] = ONE // winners if places[s] == 1 else 0
            if self.objective == SCORE:
                self.values[s] = <int64_t> self.scores[s] * (ONE >> 6)
            else:
                self.values[s] = (
                    self.shares[s] * 98 // 100 + ONE // (50 * n)
                    + (self.scores[s] * n - sum_) * (ONE // 50) // (1000 * n)
                )

    cdef void record(self, int choice, int depth, int turns) noexcept nogil:
        """Adds the judged simulation to its root move."""
        cdef RootMove* root = &self.root[choice]
        cdef int s
        cdef int64_t value = self.values[self.seat]
        root.visits += 1
        root.value += value
        root.value_square += (value >> 15) * (value >> 15)
        for s in range(self.game.seats):
            root.win[s] += self.shares[s]
            root.score[s] += self.scores[s]
            root.score_square[s] += <int64_t> self.scores[s] * self.scores[s]
        self.simulations += 1
        self.depth_sum += depth
        if depth > self.depth_max:
            self.depth_max = depth
        self.turn_sum += turns
        if turns > self.turn_max:
            self.turn_max = turns

    cdef bint simulate(self) noexcept nogil:
        return False

    cdef int run(self, int64_t more, int64_t nanoseconds) noexcept nogil:
        cdef int64_t start = now()
        cdef int64_t time, yielded = start
        cdef int64_t done = 0
        while done < more:
            if not self.simulate():
                return FULL
            done += 1
            if done % CHECK == 0:
                if self.stop_flag:
                    return STOPPED
                time = now()
                if time - start >= nanoseconds:
                    return TIMEOUT
                if time - yielded >= YIELD_NS:
                    sched_yield()
                    yielded = time
        return ENOUGH

    def step(self, more, seconds):
        """Makes up to `more` simulations in about `seconds`, without the GIL. Returns a code, see STEP_CODES."""
        cdef int64_t count = min(more, 1 << 60)
        cdef int64_t nanoseconds = <int64_t> min(seconds * 1e9, 4e18)
        cdef int code
        if self.stop_flag:
            return STOPPED
        with nogil:
            code = self.run(count, nanoseconds)
        return code

    def stop(self):
        """Ends a step within microseconds, from any thread, and every later one at once."""
        self.stop_flag = 1

    @property
    def nodes(self):
        """Nodes in the tree."""
        return 0

    def moves(self):
        """The root moves, ascending."""
        return [self.root[i].move for i in range(self.n_root)]

    def priors(self):
        """How the root moves looked before the search, in the order of `moves`; they add up to 1."""
        return [self.root[i].prior for i in range(self.n_root)]

    def sums(self):
        """Per root move: visits, value, value², and per seat win, score, score²; units as in `RootMove`."""
        cdef int n = self.game.seats
        return [
            (
                self.root[i].visits, self.root[i].value, self.root[i].value_square,
                [self.root[i].win[s] for s in range(n)],
                [self.root[i].score[s] for s in range(n)],
                [self.root[i].score_square[s] for s in range(n)],
            )
            for i in range(self.n_root)
        ]

    def line(self, int choice):
        """([(seat, move)], how much is playable): the likeliest continuation; without a tree, the root move alone."""
        if not 0 <= choice < self.n_root:
            raise ValueError(f"{choice} is not the number of a root move")
        return [(self.seat, self.root[choice].move)], 1


cdef class Flat(Engine):
    """The same number of uniform playouts for each move. Move by move the same worlds: siblings share luck."""

    cdef bint simulate(self) noexcept nogil:
        cdef Stream stream
        cdef int choice = self.simulations % self.n_root
        cdef uint64_t key = mix2(self.seed, self.simulations // self.n_root)
        self.imagine(key)
        self.game.apply(self.world, self.seat, self.root[choice].move)
        seed_stream(&stream, key)
        self.plies += self.game.rollout(self.world, &stream, self.scores)
        self.judge()
        self.record(choice, 1, 1)
        return True


def logarithm(double x):
    """The natural logarithm of x >= 1 as the searches take it."""
    return natural_log(x)


STEP_CODES = {ENOUGH: "enough", TIMEOUT: "timeout", STOPPED: "stopped", FULL: "full"}
VALUE_ONE = ONE
OBJECTIVES = {"win": WIN, "score": SCORE}
