"""The game contract, and its face towards Python: checked calls that return new states."""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from ext.rng cimport Stream, mix2, next_word, seed_stream

CHANCE = C_CHANCE
OVER = C_OVER
MAX_SEATS = C_MAX_SEATS


cdef class State:
    """A full state, hidden part included. Immutable from Python; equal and hashable by content."""

    def __dealloc__(self):
        free(self.data)

    def __bytes__(self):
        if self.data == NULL:
            raise ValueError("states come from a game")
        return PyBytes_FromStringAndSize(<char*> self.data, self.game.state_bytes)

    def __eq__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        cdef State that = other
        if self.data == NULL or that.data == NULL:
            return self is other
        return self.game is that.game and memcmp(self.data, that.data, self.game.state_bytes) == 0

    def __hash__(self):
        return hash(bytes(self))

    def __reduce__(self):
        raise TypeError("a state is not pickled; use Game.dump and Game.load")


cdef class Observation:
    """What one seat knows and nothing else. Immutable; equal observations have equal bytes."""

    def __dealloc__(self):
        free(self.data)

    def __bytes__(self):
        if self.data == NULL:
            raise ValueError("observations come from a game")
        return PyBytes_FromStringAndSize(<char*> self.data, self.game.observation_bytes)

    def __eq__(self, other):
        if not isinstance(other, Observation):
            return NotImplemented
        cdef Observation that = other
        if self.data == NULL or that.data == NULL:
            return self is other
        return self.game is that.game and memcmp(self.data, that.data, self.game.observation_bytes) == 0

    def __hash__(self):
        return hash(bytes(self))

    def __reduce__(self):
        raise TypeError("an observation is not pickled; use Game.dump_observation and Game.load_observation")


cdef State new_state(Game game):
    cdef State state = State.__new__(State)
    state.game = game
    state.data = calloc(1, game.state_bytes)
    if state.data == NULL:
        raise MemoryError
    return state


cdef Observation new_observation(Game game):
    cdef Observation observation = Observation.__new__(Observation)
    observation.game = game
    observation.data = calloc(1, game.observation_bytes)
    if observation.data == NULL:
        raise MemoryError
    return observation


cdef void rank_scores(const int32_t* scores, int n, int32_t* places) noexcept nogil:
    """Places by points alone, ties shared: 1, 1, 3."""
    cdef int i, j
    for i in range(n):
        places[i] = 1
        for j in range(n):
            places[i] += scores[j] > scores[i]


cdef class Game:
    """Rules, options and catalogue compiled to tables; immutable and shared by all threads."""

    # The contract; every kernel overrides every method.
    cdef void begin(self, void* state) noexcept nogil:
        pass

    cdef int turn_of(self, const void* state) noexcept nogil:
        return C_OVER

    cdef uint32_t pending_mask(self, const void* state) noexcept nogil:
        return 0

    cdef int list_moves(self, const void* state, int seat, move_t* buffer) noexcept nogil:
        return 0

    cdef bint is_legal(self, const void* state, int seat, move_t move) noexcept nogil:
        return False

    cdef move_t representative(self, const void* state, int seat, move_t move) noexcept nogil:
        return move

    cdef void apply(self, void* state, int seat, move_t move) noexcept nogil:
        pass

    cdef int list_outcomes(self, const void* state, uint32_t* buffer, uint32_t* weights) noexcept nogil:
        return 0

    cdef uint32_t draw_outcome(self, const void* state, uint64_t key) noexcept nogil:
        return 0

    cdef void settle(self, void* state, uint32_t outcome) noexcept nogil:
        pass

    cdef void look(self, const void* state, int seat, void* observation) noexcept nogil:
        pass

    cdef void prepare(self, const void* observation, void* state) noexcept nogil:
        pass

    cdef void sample(self, const void* observation, uint64_t key, void* state) noexcept nogil:
        pass

    cdef void reopen(self, void* state, int observer) noexcept nogil:
        pass

    cdef bint certain(self, const void* observation) noexcept nogil:
        return False

    cdef bint separable(self, const void* state) noexcept nogil:
        return False

    cdef bint futile(self, const void* state) noexcept nogil:
        return False

    cdef uint64_t node_key(self, const void* state, int seat) noexcept nogil:
        return 0

    cdef bint precedes(self, move_t one, move_t other) noexcept nogil:
        return one < other

    cdef void gains(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        pass

    cdef void promise(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        self.gains(state, seat, moves, n, points)

    cdef move_t policy(self, const void* state, int seat, Stream* stream) noexcept nogil:
        return 0

    cdef int rollout(self, void* state, Stream* stream, int32_t* scores) noexcept nogil:
        return 0

    cdef int informed(self, void* state, Stream* stream, int32_t* scores) noexcept nogil:
        """By `policy`, decision by decision; a kernel that has a faster way overrides it."""
        cdef int turn, plies = 0
        while plies < self.max_plies:
            turn = self.turn_of(state)
            if turn == C_OVER:
                break
            if turn == C_CHANCE:
                self.settle(state, self.draw_outcome(state, next_word(stream)))
            else:
                self.apply(state, turn, self.policy(state, turn, stream))
            plies += 1
        self.points(state, scores)
        return plies

    cdef void evaluate(self, const void* state, double* values, double* scales) noexcept nogil:
        pass

    cdef void points(self, const void* state, int32_t* scores) noexcept nogil:
        pass

    cdef void places(self, const void* state, const int32_t* scores, int32_t* places) noexcept nogil:
        rank_scores(scores, self.seats, places)

    cdef bint met(self, const void* state, const int32_t* scores) noexcept nogil:
        return True

    cdef uint64_t state_key(self, const void* state) noexcept nogil:
        return 0

    cdef uint64_t knowledge_key(self, const void* state, int seat) noexcept nogil:
        return 0

    # The face towards Python.
    def __reduce__(self):
        raise TypeError("a game is not pickled; construct it again")

    cdef void* _own(self, State state) except NULL:
        if state is None or state.game is not self:
            raise ValueError("the state belongs to another game")
        return state.data

    cdef void* _own_observation(self, Observation observation) except NULL:
        if observation is None or observation.game is not self:
            raise ValueError("the observation belongs to another game")
        return observation.data

    cdef int _seat(self, int seat) except -1:
        if not 0 <= seat < self.seats:
            raise ValueError(f"seat {seat} is not one of 0 to {self.seats - 1}")
        return seat

    cdef State _copy(self, State state):
        cdef State copy = new_state(self)
        memcpy(copy.data, self._own(state), self.state_bytes)
        return copy

    def start(self):
        """The position before the first chance event."""
        cdef State state = new_state(self)
        self.begin(state.data)
        return state

    def deal(self, seed):
        """`start`, with chance drawn until a seat has to decide."""
        cdef State state = self.start()
        cdef uint64_t key = mix2(<uint64_t> (seed & 0xFFFFFFFFFFFFFFFF), 0)
        while self.turn_of(state.data) == C_CHANCE:
            self.settle(state.data, self.draw_outcome(state.data, key))
        return state

    def turn(self, State state):
        """A seat that owes a decision (the lowest), CHANCE or OVER."""
        return self.turn_of(self._own(state))

    def pending(self, State state):
        """Every seat that owes a decision now, ascending."""
        cdef uint32_t mask = self.pending_mask(self._own(state))
        return [seat for seat in range(self.seats) if mask >> seat & 1]

    def moves(self, State state, int seat):
        """Representatives of the legal moves of `seat`, ascending; empty when it owes no decision."""
        cdef move_t buffer[C_MAX_MOVES]
        self._seat(seat)
        if not self.pending_mask(self._own(state)) >> seat & 1:
            return []
        cdef int n = self.list_moves(state.data, seat, buffer)
        return [buffer[i] for i in range(n)]

    def before(self, one, other):
        """Whether the notation of one move code comes before the other's in byte order."""
        return bool(self.precedes(one, other))

    def legal(self, State state, int seat, move):
        """Whether the rules allow `seat` the move now, representative or not."""
        self._seat(seat)
        if not (isinstance(move, int) and 0 <= move <= 0xFFFFFFFF and self.pending_mask(self._own(state)) >> seat & 1):
            return False
        return bool(self.is_legal(state.data, seat, move))

    def canonical(self, State state, int seat, move):
        """The representative of a legal move; raises ValueError when it is not legal."""
        if not self.legal(state, seat, move):
            raise ValueError("not a legal move")
        return self.representative(state.data, seat, move)

    def play(self, State state, int seat, move):
        """Plays a legal move; raises ValueError otherwise."""
        if not self.legal(state, seat, move):
            raise ValueError("not a legal move")
        cdef State copy = self._copy(state)
        self.apply(copy.data, seat, move)
        return copy

    def outcomes(self, State state):
        """(outcome, weight) of the chance event that is next, ascending; empty when none is."""
        cdef uint32_t buffer[C_MAX_OUTCOMES]
        cdef uint32_t weights[C_MAX_OUTCOMES]
        if self.turn_of(self._own(state)) != C_CHANCE:
            return []
        cdef int n = self.list_outcomes(state.data, buffer, weights)
        return [(buffer[i], weights[i]) for i in range(n)]

    def draw(self, State state, seed, world):
        """The outcome that (seed, world) gives to the chance event that is next; raises ValueError when none is."""
        if self.turn_of(self._own(state)) != C_CHANCE:
            raise ValueError("no chance event is next")
        return self.draw_outcome(state.data, mix2(seed & 0xFFFFFFFFFFFFFFFF, world & 0xFFFFFFFFFFFFFFFF))

    def happen(self, State state, outcome):
        """The state after an outcome of the chance event that is next; raises ValueError for any other."""
        if outcome not in [code for code, _ in self.outcomes(state)]:
            raise ValueError("not a possible outcome")
        cdef State copy = self._copy(state)
        self.settle(copy.data, outcome)
        return copy

    def chance_events(self, State before, outcome, State after):
        """What an outcome brought, as the game's event messages; none where chance only sets up the game."""
        self._own(before)
        self._own(after)
        return []

    def outcome_notation(self, outcome):
        """The text of an outcome code."""
        return str(outcome)

    def parse_outcome(self, text):
        """The code of an outcome's text; raises ValueError that says what is expected."""
        if not (text.isascii() and text.isdecimal() and len(text) <= 10):
            raise ValueError("expected the number of an outcome")
        return int(text)

    def observe(self, State state, int seat):
        """What `seat` knows."""
        cdef Observation observation = new_observation(self)
        self.look(self._own(state), self._seat(seat), observation.data)
        return observation

    def determinize(self, Observation observation, key):
        """A full state consistent with the observation; raises ValueError when the observation owes a report."""
        self._own_observation(observation)
        if not self._complete(observation):
            raise ValueError("chance or a reveal is due: report what happened first")
        cdef State state = new_state(self)
        self.prepare(observation.data, state.data)
        self.sample(observation.data, key & 0xFFFFFFFFFFFFFFFF, state.data)
        return state

    def recognize(self, message):
        """A flawless observation in the wire's bytes; None of one that `load_observation` has to judge."""
        return None

    def _complete(self, Observation observation):
        return True

    def reopened(self, State state, int observer):
        """The state with every commitment but the observer's taken back, as a search looks at it."""
        cdef State copy = self._copy(state)
        self.reopen(copy.data, self._seat(observer))
        return copy

    def priors(self, State state, int seat):
        """Points each legal move gains at once, in the order of `moves`."""
        cdef move_t buffer[C_MAX_MOVES]
        cdef double points[C_MAX_MOVES]
        self._seat(seat)
        if not self.pending_mask(self._own(state)) >> seat & 1:
            return []
        cdef int n = self.list_moves(state.data, seat, buffer)
        self.gains(state.data, seat, buffer, n, points)
        return [points[i] for i in range(n)]

    def choose(self, State state, int seat, key):
        """The informed playout move that the stream of `key` gives; raises ValueError when none is owed."""
        cdef Stream stream
        self._seat(seat)
        if not self.pending_mask(self._own(state)) >> seat & 1:
            raise ValueError("the seat owes no decision")
        seed_stream(&stream, key & 0xFFFFFFFFFFFFFFFF)
        return self.policy(state.data, seat, &stream)

    def playout(self, State state, seed):
        """Final scores after uniformly random play to the end."""
        cdef State copy = self._copy(state)
        cdef Stream stream
        cdef int32_t scores[C_MAX_SEATS]
        seed_stream(&stream, seed & 0xFFFFFFFFFFFFFFFF)
        self.rollout(copy.data, &stream, scores)
        return [scores[i] for i in range(self.seats)]

    def informed_playout(self, State state, seed):
        """Final scores after cheaply informed play to the end."""
        cdef State copy = self._copy(state)
        cdef Stream stream
        cdef int32_t scores[C_MAX_SEATS]
        seed_stream(&stream, seed & 0xFFFFFFFFFFFFFFFF)
        self.informed(copy.data, &stream, scores)
        return [scores[i] for i in range(self.seats)]

    def estimate(self, State state):
        """(values, scales): estimated final scores of each seat and their standard deviations, in points."""
        cdef double values[C_MAX_SEATS]
        cdef double scales[C_MAX_SEATS]
        self.evaluate(self._own(state), values, scales)
        return [values[i] for i in range(self.seats)], [scales[i] for i in range(self.seats)]

    def score(self, State state):
        """Points of each seat as the position stands."""
        cdef int32_t scores[C_MAX_SEATS]
        self.points(self._own(state), scores)
        return [scores[i] for i in range(self.seats)]

    def ranks(self, State state):
        """Place of each seat by the points as they stand and the tie-breaks: 1, 1, 3."""
        cdef int32_t scores[C_MAX_SEATS]
        cdef int32_t places[C_MAX_SEATS]
        self.points(self._own(state), scores)
        self.places(state.data, scores, places)
        return [places[i] for i in range(self.seats)]

    def reached(self, State state):
        """Whether a single seat has what it aims at, as the position stands; True where it only plays for points."""
        cdef int32_t scores[C_MAX_SEATS]
        self.points(self._own(state), scores)
        return bool(self.met(state.data, scores))

    def key(self, State state):
        """64-bit hash of the full state."""
        return self.state_key(self._own(state))

    def observation_key(self, State state, int seat):
        """64-bit hash of what `seat` knows."""
        return self.knowledge_key(self._own(state), self._seat(seat))

    def history_key(self, State state, int seat):
        """64-bit hash of what the search tree of `seat` keys its nodes by."""
        return self.node_key(self._own(state), self._seat(seat))
